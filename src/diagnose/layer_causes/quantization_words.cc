// SPDX-License-Identifier: Apache-2.0
#include "diagnose/layer_causes/layer_causes.h"

#include <algorithm>
#include <optional>

#include "core/index.h"
#include "core/integer_limits.h"
#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

constexpr double kRoundedSteps = 1.02, kBiasShare = 0.05;

struct Span {
  double low, high;
};
// Range that the codes can represent; nothing for real numbers and types without a fixed code
// range.
std::optional<Span> representable(const TensorSpec& spec) {
  const auto limits = code_limits(spec.dtype);
  if (!limits || spec.quantization.scale.size() != 1) return std::nullopt;
  const double scale = spec.quantization.scale[0],
               zero = static_cast<double>(spec.quantization.zero_point_at(0));
  return Span{(static_cast<double>(limits->least) - zero) * scale,
              (static_cast<double>(limits->most) - zero) * scale};
}

}  // namespace

void say_activation(const Case& known, const layers::Finding& finding, const std::string& where,
                    Cause& cause) {
  const layers::Figures& f = finding.figures;
  const std::string scale = f.scale_ratio ? number(*f.scale_ratio, 3) : "";
  const std::string& type = cause.op_type;
  if (f.clip.value_or(0) > kClips)
    cause.detail =
        "the quantised range of " + where + " is too narrow: it clips what the layer computes";
  else if (f.scale_ratio.value_or(0) > kWide)
    cause.detail =
        "the quantisation step of " + where + " is " + scale + " times as wide as its values need";
  else cause.detail = "the quantisation of " + where + " costs far more than rounding has to";
  if (finding.tied)
    cause.detail +=
        " (" + type + " shares the scale of its input: keep it in float, or requantise before it)";
  if (known.target_model && !finding.repairs.empty()) {
    const layers::Repair& repair = finding.repairs.front();
    const TensorSpec& spec = known.target_model->graph.tensors[at(repair.pair.target)].spec;
    if (const auto span = representable(spec)) {
      Evidence codes{EvidenceKind::kActivationCodes,
                     {{"least", span->low}, {"most", span->high}, {"cut_off", f.clip.value_or(0)}}};
      if (f.scale_ratio) codes.values.emplace("step_ratio", *f.scale_ratio);
      cause.evidence.push_back(std::move(codes));
      if (repair.stored)
        cause.evidence.push_back({EvidenceKind::kFittingScale,
                                  {{"scale", repair.stored->scale},
                                   {"zero_point", repair.stored->zero_point},
                                   {"scale_in_file", spec.quantization.scale[0]},
                                   {"zero_point_in_file", spec.quantization.zero_point_at(0)}}});
    }
  }
}

void say_weights(const layers::Row& row, const std::string& where, Cause& cause) {
  const auto& c = row.measured.constants;
  const bool weights = c && (!c->same_shape || c->weight_steps.value_or(0) > kRoundedSteps);
  const bool bias = c && c->bias_share.value_or(0) > kBiasShare;
  cause.detail = "the " +
                 std::string(weights && bias ? "weights and the bias"
                             : bias          ? "bias"
                                             : "weights") +
                 " of " + where + (bias && !weights ? " is" : " are") + " not the reference's";
  if (weights && c->same_shape)
    cause.evidence.push_back({EvidenceKind::kWeightsDiffer, {{"steps", *c->weight_steps}}});
  if (weights && !c->same_shape) cause.evidence.push_back({EvidenceKind::kWeightsShape});
  if (bias) cause.evidence.push_back({EvidenceKind::kBiasDiffers, {{"share", *c->bias_share}}});
}

void say_constant(const layers::OtherConstant& constant, const std::string& where, Cause& cause) {
  std::vector<std::string> names;
  for (const std::string& name : constant.names) names.push_back(in_quotes(name, 60));
  const bool is_one = names.size() == 1;
  cause.detail = std::string(is_one ? "the constant " : "the constants ") + listed(names) + " of " +
                 where +
                 (is_one                   ? " is not the reference's"
                  : constant.are_exchanged ? " are exchanged: each holds the reference's other one"
                                           : " are not the reference's");
  if (constant.shift == 0) return;
  const int by = std::abs(constant.shift);
  cause.detail += ": its rows stand " + counted(static_cast<std::size_t>(by), "place") +
                  (constant.shift > 0 ? " later" : " earlier");
}

void say_biases(const layers::Analysis& analysis, const layers::Finding& finding,
                const std::string& where, Cause& cause) {
  std::size_t channels = 0;
  std::vector<int> cut_off, unscaled;
  double ratio = 1;
  for (const std::size_t i : finding.group) {
    const layers::Row& row = analysis.rows[i];
    channels += row.measured.constants->cut_off;
    if (row.measured.constants->cut_off > 0) cut_off.push_back(row.counterpart);
    if (row.measured.constants->bias_scale_ratio == 1) continue;
    if (unscaled.empty()) ratio = row.measured.constants->bias_scale_ratio;
    unscaled.push_back(row.counterpart);
  }
  cause.layers = cut_off;
  cause.layers.insert(cause.layers.end(), unscaled.begin(), unscaled.end());
  std::sort(cause.layers.begin(), cause.layers.end());
  cause.layers.erase(std::unique(cause.layers.begin(), cause.layers.end()), cause.layers.end());
  const std::string first = cause.layers.size() == 1 ? "" : ", first in " + where;
  if (!unscaled.empty()) {
    cause.detail =
        "the int32 biases of " + (cause.layers.size() == 1 ? where : layers_text(unscaled)) +
        " were not rescaled with the scale of their input" + first + ": they are added in steps " +
        number(ratio, 3) + " times as wide as they were made for";
    cause.evidence.push_back({EvidenceKind::kRescaleBiases});
  }
  if (!cut_off.empty()) {
    cause.detail += (unscaled.empty() ? "" : "; and ") + std::string("the int32 biases of ") +
                    std::to_string(channels) + (channels == 1 ? " channel in " : " channels in ") +
                    (cause.layers.size() == 1 ? where : layers_text(cut_off)) +
                    " are cut off at the end of their 32 bits" + (unscaled.empty() ? first : "");
    cause.evidence.push_back({EvidenceKind::kWidenWeightScale});
  }
}

void say_calibration(const layers::Analysis& analysis, const layers::Finding& finding,
                     const std::string& where, Cause& cause) {
  std::size_t of = 0;
  for (const std::size_t i : finding.group)
    if (i != finding.pair) cause.layers.push_back(analysis.rows[i].reference_layer);
  for (const layers::Row& row : analysis.rows)
    of += row.measured.local && row.measured.local->scale_ratio > 0;
  // All layers of the group deviate in one direction, which its worst layer shows.
  const bool narrow = finding.figures.clip.value_or(0) > layers::kSlightClip;
  const std::string some = std::to_string(finding.group.size()) + " of " + std::to_string(of);
  cause.detail =
      narrow ? "the quantised ranges of " + some +
                   " layers are too narrow for what these pictures make, as after a calibration "
                   "with too few pictures or with others; the most in " +
                   where
             : "the quantisation steps of " + some +
                   " layers are wider than these pictures need, as after a calibration with inputs "
                   "of another range or with outliers; the most in " +
                   where;
  Evidence seen{EvidenceKind::kCalibratedRanges, {{"layers", finding.group.size()}, {"of", of}}};
  if (narrow) seen.values.emplace("cut_off", finding.figures.clip.value_or(0));
  else seen.values.emplace("step_ratio", finding.figures.scale_ratio.value_or(0));
  cause.evidence.push_back(std::move(seen));
  cause.fix_code["edgeprobe"] =
      "edgeprobe convert FLOAT_MODEL --to int8 --recipe RECIPE --data PICTURES -o MODEL  # a "
      "hundred typical pictures, through the app's own recipe";
}

}  // namespace edgeprobe::diagnose
