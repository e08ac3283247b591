// SPDX-License-Identifier: Apache-2.0
#include "diagnose/examine_input_scale.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/spread.h"
#include "core/text.h"
#include "culprit/values.h"
#include "diagnose/preprocessing/search/explanation.h"

namespace edgeprobe::diagnose {
namespace {

// Without pictures there are no gray steps: 8 bits of values with a few outliers lose about a
// hundredth of their deviation.
constexpr double kMostLost = 0.1;
// A value lies beyond the codes when it is off by more than rounding makes it, half a step.
constexpr double kBeyond = 0.75;
// Share of such values that is told as cut off; below it the width of the steps is.
constexpr double kWorthSaying = 0.01;
// Frames that are looked at: a range that is wrong is wrong on each.
constexpr std::size_t kFrames = 24;
// Of the distance of the outputs that must go when the reference is fed through the same codes.
constexpr double kReproduced = 0.3;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

struct Codes {
  double low, high;
};
std::optional<Codes> codes_of(const TensorSpec& spec) {
  if (spec.quantization.scale.size() != 1 || !(spec.quantization.scale[0] > 0)) return std::nullopt;
  switch (spec.dtype) {
    case DType::kInt8: return Codes{-128, 127};
    case DType::kUInt8: return Codes{0, 255};
    case DType::kInt16: return Codes{-32768, 32767};
    default: return std::nullopt;
  }
}

// The codes that the target's input becomes: its own, or those that its first layer makes of real
// values.
std::optional<TensorSpec> stored_input(const Case& known) {
  const trace::ReadChannel* channel = input_channel(*known.target);
  if (!channel) return std::nullopt;
  if (codes_of(channel->channel.spec)) return channel->channel.spec;
  if (!known.target_model || known.target_model->graph.inputs.size() != 1) return std::nullopt;
  const model::Graph& graph = known.target_model->graph;
  std::optional<TensorSpec> made;
  for (const model::Layer& layer : graph.layers) {
    if (std::count(layer.inputs.begin(), layer.inputs.end(), graph.inputs[0]) == 0) continue;
    if ((layer.type != "QUANTIZE" && layer.type != "QuantizeLinear") || layer.outputs.empty() ||
        made)
      return std::nullopt;
    made = graph.tensors[at(layer.outputs[0])].spec;
  }
  return made && codes_of(*made) ? made : std::nullopt;
}

// What the reference recorded as its input in one frame; empty when it has none.
Result<std::vector<float>> fed(const trace::Reader& reader, const trace::ReadChannel& channel,
                               std::uint32_t frame) {
  const auto message = reader.read(frame, channel.id);
  if (!message) return message.error();
  if (!*message) return std::vector<float>{};
  return to_float(**message);
}

std::string span(double low, double high) { return number(low, 3) + ".." + number(high, 3); }

std::string sentence(const InputScale& s, bool guessed) {
  const std::string calibrated = guessed
                                     ? "; that recipe was guessed: what was the model trained with?"
                                     : "; was the model calibrated with other pre-processing?";
  if (s.cut >= kWorthSaying)
    return "the input's scale covers " + span(s.low, s.high) + " only, the recipe makes " +
           span(s.least, s.most) + ": " + percent(s.cut) + " of the values are cut off" +
           calibrated;
  return "the input's scale covers " + span(s.low, s.high) + " in steps of " + number(s.step, 3) +
         ", the recipe makes " + span(s.least, s.most) + ": only " + std::to_string(s.left) +
         (s.left == 1 ? " code is" : " codes are") + " left for all values" + calibrated;
}

}  // namespace

Result<std::optional<InputScale>> examine_input_scale(const Study& study, double gray_step,
                                                      const Control& control) {
  const Case& known = study.known;
  const auto spec = stored_input(known);
  const trace::ReadChannel* reference = input_channel(*known.reference);
  if (!spec || !reference) return std::optional<InputScale>{};
  const Codes codes = *codes_of(*spec);
  const double step = spec->quantization.scale[0],
               zero = static_cast<double>(spec->quantization.zero_point_at(0));
  InputScale found;
  found.stored = *spec;
  found.step = step;
  found.low = (codes.low - zero) * step;
  found.high = (codes.high - zero) * step;
  double n = 0, sum = 0, squares = 0, lost = 0, beyond = 0;
  std::set<double> seen;
  for (const std::size_t k : spread(study.agreement.frames.size(), kFrames)) {
    if (control.stopped()) return interrupted();
    const auto values = fed(*known.reference, *reference, study.agreement.frames[k].reference);
    if (!values) return values.error();
    for (const float value : *values) {
      if (!std::isfinite(value)) continue;
      const double code = std::clamp(std::nearbyint(value / step + zero), codes.low, codes.high),
                   off = (code - zero) * step - value;
      found.least = n > 0 ? std::min<double>(found.least, value) : value;
      found.most = n > 0 ? std::max<double>(found.most, value) : value;
      ++n;
      sum += value;
      squares += double{value} * value;
      lost += off * off;
      beyond += std::fabs(off) > kBeyond * step;
      seen.insert(code);
    }
  }
  if (n == 0) return std::optional<InputScale>{};
  found.cut = beyond / n;
  found.left = seen.size();
  const double deviation = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
  found.lost = std::sqrt(lost / n);
  if (gray_step > 0) found.lost_steps = found.lost / gray_step;
  const bool loses = found.lost_steps ? *found.lost_steps > kDecoder
                                      : deviation > 0 && found.lost > kMostLost * deviation;
  return loses ? std::optional(std::move(found)) : std::nullopt;
}

Result<Answers> reference_through(const InputScale& scale, const Study& study,
                                  const std::vector<std::uint32_t>& frames,
                                  const Control& control) {
  const Case& known = study.known;
  const trace::ReadChannel* channel = input_channel(*known.reference);
  Answers answers;
  if (!known.reference_pipeline || !channel ||
      known.reference_pipeline->session->inputs().size() != 1)
    return answers;
  const TensorSpec& wanted = known.reference_pipeline->input();
  const auto partner = partners(study);
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    const auto values = fed(*known.reference, *channel, partner.at(frame));
    if (!values) return values.error();
    answers.frames.push_back(frame);
    answers.outputs.emplace_back();
    if (values->empty()) continue;
    const auto codes = culprit::stored_as(scale.stored, wanted.shape, *values);
    const auto back = codes ? to_float(*codes) : Result<std::vector<float>>(codes.error());
    auto input =
        back ? culprit::stored_as(wanted, wanted.shape, *back) : Result<Tensor>(back.error());
    if (!input) return Answers{};
    auto inference = known.reference_pipeline->session->infer({*input});
    if (!inference)
      return std::move(inference.error()).during("reference on inputs that are cut off");
    auto outputs = outputs_of(inference->outputs);
    if (!outputs) return std::move(outputs.error());
    answers.outputs.back() = *std::move(outputs);
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(),
                       "frames of the reference through the target's input codes");
  }
  return answers;
}

Cause input_scale_cause(const InputScale& scale, const Study& study, const Replays& replays,
                        double floor) {
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  Cause cause;
  cause.kind = CauseKind::kInputScale;
  cause.stage = CauseStage::kModel;
  cause.status = CauseStatus::kPartial;
  const bool guessed =
      study.known.reference_pipeline && study.known.reference_pipeline->default_recipe;
  cause.detail = sentence(scale, guessed);
  cause.restored_unavailable = Unavailable{UnavailableKind::kOnlyQuantisingAgain};
  Evidence loses{EvidenceKind::kCodesLose, {{"lost", scale.lost}}};
  if (scale.lost_steps) {
    loses.values.emplace("lost_steps", *scale.lost_steps);
    loses.values.emplace("decoder_limit", kDecoder);
  }
  cause.evidence.push_back(std::move(loses));
  cause.evidence.push_back(
      {guessed ? EvidenceKind::kGiveTrainingRecipe : EvidenceKind::kQuantiseAgain});
  const auto gap = mean_distance(kind, replays.reference, replays.target);
  std::optional<double> left;
  if (replays.through_codes) left = mean_distance(kind, *replays.through_codes, replays.target);
  if (!gap || !left) {
    cause.evidence.push_back({EvidenceKind::kCodesNotReplayed});
    return cause;
  }
  cause.evidence.push_back({EvidenceKind::kThroughCodes,
                            {{"distance", *left}, {"without", *gap}, {"kind", name(kind)}}});
  if (*gap <= floor) cause.status = CauseStatus::kNote;
  else if (*left <= (1 - kReproduced) * *gap && !guessed) cause.status = CauseStatus::kConfirmed;
  return cause;
}

}  // namespace edgeprobe::diagnose
