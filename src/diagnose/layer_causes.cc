#include "diagnose/layer_causes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "model/format.h"

namespace edgeprobe::diagnose {
namespace {

using culprit::kSevereGap;
// A kernel is to blame for the gap when its repair takes away this much of its square.
constexpr double kTakesPart = 0.05;
// All kernels are repaired at once: beside one that is off by ten times as much, a kernel's own part in that is unknown.
constexpr double kLouder = 10;
constexpr double kNoGap = 1e-3;  // The logits are the same: what is to be explained lies behind them.
constexpr double kWide = 3, kClips = 0.1, kRoundedSteps = 1.02, kBiasShare = 0.05;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::string from_to(double before, double after) {
  return "the logits lie " + number(after, 3) + " of their standard deviation from the reference's, not " + number(before, 3);
}
double share_of(double before, double after, double all) {
  return std::clamp((before * before - after * after) / std::max(all * all, 1e-12), 0.0, 1.0);
}

// Layers of the target in the reference's numbers; those without a partner are left out.
std::vector<int> in_reference(const culprit::Analysis& analysis, const std::vector<int>& target_layers) {
  std::vector<int> layers;
  for (const culprit::Row& row : analysis.rows)
    if (row.reference_layer >= 0 && std::count(target_layers.begin(), target_layers.end(), row.target_layer))
      layers.push_back(row.reference_layer);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  return layers;
}

const culprit::Residue* residue_of(const culprit::Analysis& analysis, int target_layer) {
  for (const culprit::Row& row : analysis.rows)
    if (row.target_layer == target_layer && row.residue) return &*row.residue;
  return nullptr;
}

std::string layers_text(const std::vector<int>& layers) {
  std::string text = layers.size() == 1 ? "layer " : "layers ";
  const std::size_t shown = std::min<std::size_t>(layers.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) text += (i ? ", " : "") + std::to_string(layers[i]);
  return layers.size() > shown ? text + " and " + std::to_string(layers.size() - shown) + " more" : text;
}

std::string residue_text(const culprit::Residue& residue) {
  if (residue.not_finite > 0) return std::to_string(residue.not_finite) + " values are NaN or infinite on one side only";
  if (!residue.integer)
    return "its output is off by up to " + number(residue.largest, 3) + " of its RMS on the very inputs that the target recorded, where healthy kernels stay below 0.0001";
  std::string text = "its output is off by up to " + number(residue.largest, 3) + " steps (" + percent(residue.differing) +
                     " of the values differ) on the very inputs that the target recorded, where healthy kernels stay within 1";
  if (residue.largest <= 1)
    text = "its output is off by " + number(residue.mean, 2) + " steps on average on the very inputs that the target recorded, where healthy kernels stay below 0.25";
  return text;
}

// How far the worst layer of a faulty kernel is off, relative to its output.
double loudness(const culprit::Analysis& analysis, const culprit::KernelFault& fault) {
  double most = 0;
  for (const int layer : fault.layers)
    if (const culprit::Residue* residue = residue_of(analysis, layer))
      most = std::max(most, residue->not_finite > 0 ? std::numeric_limits<double>::infinity() : residue->relative_l2);
  return most;
}

Cause kernel_cause(const Case& known, const culprit::Analysis& analysis, const culprit::KernelFault& fault) {
  const model::Graph& target = known.target_model->graph;
  Cause cause;
  cause.kind = CauseKind::kKernel;
  cause.stage = CauseStage::kModel;
  cause.op_type = fault.type;
  cause.scope = fault.whole_type ? CauseScope::kType : CauseScope::kOp;
  cause.layers = in_reference(analysis, fault.layers);
  const int first = fault.layers.front();
  cause.layer = !cause.layers.empty() && known.reference_pipeline ? output_name(known.reference_pipeline->graph, cause.layers.front())
                                                                 : output_name(target, first);
  const std::string some = std::to_string(fault.layers.size()) + " of " + std::to_string(fault.checked);
  cause.detail = fault.whole_type ? "the target's " + fault.type + " kernel miscomputes: " + some + " layers of that type differ from the same operator on the host, given the same inputs"
                                  : "the target miscomputes " + fault.type + " in " + layers_text(fault.layers) + " ('" +
                                        printable(output_name(target, first), 60) + "'" + (fault.layers.size() > 1 ? " first" : "") +
                                        "), given the same inputs";
  const culprit::Residue* worst = nullptr;
  for (const int layer : fault.layers) {
    const culprit::Residue* residue = residue_of(analysis, layer);
    if (residue && (!worst || residue->largest > worst->largest)) worst = residue;
  }
  if (worst)
    cause.evidence.push_back((fault.layers.size() > 1 ? "replayed alone on the host's built-in kernels, the worst of them is layer " + std::to_string(worst->layer) + ": "
                                                      : "replayed alone on the host's built-in kernels, ") + residue_text(*worst));
  if (analysis.gap && analysis.host_gap)
    cause.evidence.push_back("with every kernel replaced by the host's, " + from_to(*analysis.gap, *analysis.host_gap));
  if (analysis.gap && analysis.host_gap && *analysis.gap > kNoGap) cause.explains = share_of(*analysis.gap, *analysis.host_gap, *analysis.gap);
  if (fault.checked > fault.layers.size())
    cause.evidence.push_back(std::to_string(fault.checked - fault.layers.size()) + " other " + fault.type + " layers are right on their own inputs");
  cause.mended_by = 0;
  return cause;
}

std::string type_of(const Case& known, const culprit::Row& row) {
  return known.reference_pipeline->graph.layers[at(row.reference_layer)].type;
}

struct Span { double low, high; };
Span representable(const TensorSpec& spec) {
  const bool is_signed = spec.dtype == DType::kInt8;
  const double scale = spec.quantization.scale[0], zero = static_cast<double>(spec.quantization.zero_point_at(0));
  return {((is_signed ? -128 : 0) - zero) * scale, ((is_signed ? 127 : 255) - zero) * scale};
}

// What is wrong with the activation, in one clause, and its numbers.
void say_activation(const Case& known, const culprit::Finding& finding, const std::string& where, Cause& cause) {
  const culprit::Figures& f = finding.figures;
  const std::string scale = f.scale_ratio ? number(*f.scale_ratio, 3) : "";
  const std::string& type = cause.op_type;
  if (f.clip.value_or(0) > kClips) cause.detail = "the quantised range of " + where + " is too narrow: it clips what the layer computes";
  else if (f.scale_ratio.value_or(0) > kWide) cause.detail = "the quantisation step of " + where + " is " + scale + " times as wide as its values need";
  else cause.detail = "the quantisation of " + where + " costs far more than rounding has to";
  if (finding.tied) cause.detail += " (" + type + " shares the scale of its input: keep it in float, or requantise in front of it)";
  if (known.target_model && !finding.repairs.empty()) {
    const culprit::Repair& repair = finding.repairs.front();
    const TensorSpec& spec = known.target_model->graph.tensors[at(repair.pair.target)].spec;
    if (spec.quantization.scale.size() == 1 && size_of(spec.dtype) == 1) {
      const Span span = representable(spec);
      cause.evidence.push_back("its codes reach from " + number(span.low, 3) + " to " + number(span.high, 3) + "; the step is " + scale +
                               " times what the reference's values of these frames need, and " + number(f.clip.value_or(0), 2) +
                               " of their standard deviation is cut off");
      if (repair.stored)
        cause.evidence.push_back("a scale of " + number(repair.stored->scale, 4) + " with zero point " + std::to_string(repair.stored->zero_point) +
                                 " fits them; the file has " + number(spec.quantization.scale[0], 4) + " and " + std::to_string(spec.quantization.zero_point_at(0)));
    }
  }
}

void say_weights(const culprit::Row& row, const std::string& where, Cause& cause) {
  const auto& c = row.measured.constants;
  const bool weights = c && (!c->same_shape || c->weight_steps.value_or(0) > kRoundedSteps);
  const bool bias = c && c->bias_share.value_or(0) > kBiasShare;
  cause.detail = "the " + std::string(weights && bias ? "weights and the bias" : bias ? "bias" : "weights") + " of " + where + (bias && !weights ? " is" : " are") + " not the reference's";
  if (weights) cause.evidence.push_back(c->same_shape ? "its weights differ by up to " + number(*c->weight_steps, 3) + " quantisation steps, where rounding gives at most 0.5"
                                                      : std::string("its weights have another shape"));
  if (bias) cause.evidence.push_back("its bias differs by up to " + percent(*c->bias_share) + " of the largest one, where rounding gives at most 5 %");
}

// The biases of a group of layers, and what mends them.
void say_biases(const culprit::Analysis& analysis, const culprit::Finding& finding, const std::string& where, Cause& cause) {
  std::size_t channels = 0;
  std::vector<int> cut_off, unscaled;
  double ratio = 1;
  for (const std::size_t i : finding.group) {
    const culprit::Row& row = analysis.rows[i];
    channels += row.measured.constants->cut_off;
    if (row.measured.constants->cut_off > 0) cut_off.push_back(row.reference_layer);
    if (row.measured.constants->bias_scale_ratio == 1) continue;
    if (unscaled.empty()) ratio = row.measured.constants->bias_scale_ratio;
    unscaled.push_back(row.reference_layer);
  }
  cause.layers = cut_off;
  cause.layers.insert(cause.layers.end(), unscaled.begin(), unscaled.end());
  std::sort(cause.layers.begin(), cause.layers.end());
  cause.layers.erase(std::unique(cause.layers.begin(), cause.layers.end()), cause.layers.end());
  const std::string first = cause.layers.size() == 1 ? "" : ", first in " + where;
  if (!unscaled.empty()) {
    cause.detail = "the int32 biases of " + (cause.layers.size() == 1 ? where : layers_text(unscaled)) + " were not rescaled with the scale of their input" + first +
                   ": they are added in steps " + number(ratio, 3) + " times as wide as they were made for";
    cause.evidence.push_back("divide them by the input's new scale over its old one, or convert the model again: a bias counts in steps of input scale times weight scale");
  }
  if (!cut_off.empty()) {
    cause.detail += (unscaled.empty() ? "" : "; and ") + std::string("the int32 biases of ") + std::to_string(channels) +
                    (channels == 1 ? " channel in " : " channels in ") + (cause.layers.size() == 1 ? where : layers_text(cut_off)) + " are cut off at the end of their 32 bits" +
                    (unscaled.empty() ? first : "");
    cause.evidence.push_back("their weights are so small that the step of the bias, input scale times weight scale, is too: give these channels a wider weight scale, or remove "
                             "them before the model is quantised");
  }
}

// What the two files say of an operator, where they differ; empty when that shows nothing.
std::string said_otherwise(const Case& known, const culprit::Row& row) {
  const model::Layer& r = known.reference_pipeline->graph.layers[at(row.reference_layer)];
  const model::Layer& t = known.target_model->graph.layers[at(row.target_layer)];
  if (r.type != t.type) return "is " + t.type + " in the target, " + r.type + " in the reference";
  const auto of_r = model::attributes(known.reference_pipeline->graph, known.reference_pipeline->file);
  const auto of_t = model::attributes(known.target_model->graph, known.target_model->file);
  if (!of_r || !of_t) return "";
  std::string text;
  for (const model::Attribute& in_t : (*of_t)[at(row.target_layer)])
    for (const model::Attribute& in_r : (*of_r)[at(row.reference_layer)])
      if (in_t.name == in_r.name && to_text(in_t.value) != to_text(in_r.value))
        text += (text.empty() ? "has " : ", ") + in_t.name + " " + to_text(in_t.value) + " in the target (" + to_text(in_r.value) + " in the reference)";
  return text;
}

void say_operator(const Case& known, const culprit::Row& row, const culprit::Finding& finding, const std::string& where, Cause& cause) {
  const std::string said = said_otherwise(known, row);
  cause.kind = said.empty() ? CauseKind::kUnknown : CauseKind::kOperator;
  cause.detail = said.empty() ? where + " computes something else than the reference's operator with the same weights on the same inputs" : where + " " + said;
  if (finding.own)
    cause.evidence.push_back("run alone on the same inputs, with the target's weights where there are any and a scale that fits, the two operators lie " + number(finding.own->otherwise, 3) +
                             " of the standard deviation apart: no matter of quantisation");
}

Cause finding_cause(const Case& known, const culprit::Analysis& analysis, const culprit::Finding& finding) {
  using culprit::Suspicion;
  const culprit::Row& row = analysis.rows[finding.pair];
  Cause cause;
  cause.stage = CauseStage::kModel;
  cause.scope = CauseScope::kOp;
  cause.op_type = type_of(known, row);
  cause.layers = {row.reference_layer};
  cause.layer = output_name(known.reference_pipeline->graph, row.reference_layer);
  const std::string where = cause.op_type + " layer " + std::to_string(row.reference_layer) + " ('" + printable(cause.layer, 60) + "')";
  switch (finding.suspicion) {
    case Suspicion::kWeights:
      cause.kind = CauseKind::kWeights;
      say_weights(row, where, cause);
      break;
    case Suspicion::kPerTensor:
      cause.kind = CauseKind::kQuantization;
      cause.detail = "one scale serves all weights of " + where + ", whose channels need very different ones";
      cause.evidence.push_back("for nine of ten channels the step is up to " + number(finding.figures.step_width.value_or(0), 3) + " times the ideal one; quantise its weights per channel");
      break;
    case Suspicion::kActivation:
      cause.kind = CauseKind::kQuantization;
      say_activation(known, finding, where, cause);
      if (finding.own)
        cause.evidence.push_back("run alone on the reference's inputs, its own operator is off by " + number(finding.own->error, 3) +
                                 " of the standard deviation of its output with a scale that fits");
      break;
    case Suspicion::kBias:
      cause.kind = CauseKind::kBias;
      say_biases(analysis, finding, where, cause);
      break;
    case Suspicion::kOperator:
      say_operator(known, row, finding, where, cause);
      break;
    case Suspicion::kUnexplained:
      cause.kind = CauseKind::kUnknown;
      cause.detail = "on the same model input the outputs differ; the difference arises in " + where +
                     (known.target_model ? ", for no reason that was found" : "; with the target's model file (--model) its kernel, its scales and its constants could be told apart");
      break;
  }
  const auto& local = row.measured.local;
  if (local && local->score > 0 && finding.suspicion != Suspicion::kUnexplained)
    cause.evidence.push_back("run alone on the reference's inputs it is off by " + number(local->relative, 3) + " of the standard deviation of its output, " +
                             number(local->score, 3) + " times what rounding has to cost");
  if (finding.figures.share)
    cause.evidence.push_back("finished by the reference from the target's tensors, " + percent(*finding.figures.share) + " of the squared gap arises in this layer" +
                             (finding.figures.injection ? "; put into the reference alone, it makes " + number(*finding.figures.injection, 3) + " of the gap" : ""));
  if (finding.after) {
    const bool own = finding.suspicion == Suspicion::kActivation;
    cause.evidence.push_back((finding.by_reference                        ? "with it repaired and the rest computed by the reference, "
                              : finding.suspicion == Suspicion::kBias ? "with the reference's biases inside the target's own model, "
                              : own                                       ? "with a scale that fits, and its own operator, inside the target's own model, "
                                                                          : "with it computed by the reference's operator inside the target's own model, ") +
                             from_to(finding.before, *finding.after));
    if (analysis.gap) cause.explains = share_of(finding.before, *finding.after, *analysis.gap);
  } else if (finding.suspicion == Suspicion::kUnexplained && finding.figures.share) {
    cause.explains = std::clamp(*finding.figures.share, 0.0, 1.0);
  }
  return cause;
}

}  // namespace

std::string output_name(const model::Graph& graph, int layer) {
  const auto& outputs = graph.layers[at(layer)].outputs;
  return outputs.empty() || outputs[0] < 0 ? "" : graph.tensors[at(outputs[0])].spec.name;
}

std::vector<Cause> model_causes(const Case& known, const culprit::Analysis& analysis, bool severe) {
  std::vector<Cause> causes;
  const bool moved = analysis.gap && *analysis.gap > kSevereGap;
  const auto add = [&](Cause cause, bool matters, bool restores) {
    cause.status = cause.kind == CauseKind::kUnknown ? CauseStatus::kPartial : matters && restores ? CauseStatus::kConfirmed : CauseStatus::kNote;
    if (cause.status == CauseStatus::kNote && analysis.gap && !moved)
      cause.evidence.push_back("on the same model input the logits lie " + number(*analysis.gap, 3) + " of their standard deviation from the reference's, below the limit of " +
                               number(kSevereGap, 2));
    causes.push_back(std::move(cause));
  };
  const bool by_kernels = !analysis.gap || !analysis.host_gap || share_of(*analysis.gap, *analysis.host_gap, *analysis.gap) >= kTakesPart;
  double loudest = 0;
  for (const culprit::KernelFault& fault : analysis.kernels) loudest = std::max(loudest, loudness(analysis, fault));
  for (const culprit::KernelFault& fault : analysis.kernels) {
    Cause cause = kernel_cause(known, analysis, fault);
    const double own = loudness(analysis, fault);
    const bool drowned = own < loudest && own * kLouder <= loudest;
    if (drowned) {
      cause.explains.reset();
      cause.mended_by = -1;
      cause.restored_unavailable = "another kernel is off by far more, and all are repaired at once";
    }
    add(std::move(cause), (severe || moved) && !drowned, by_kernels);
  }
  int step = analysis.kernels.empty() ? 0 : 1;
  for (const culprit::Finding& finding : analysis.findings) {
    Cause cause = finding_cause(known, analysis, finding);
    if (finding.restores && !finding.repairs.empty()) cause.mended_by = step++;
    else cause.restored_unavailable = finding.not_repaired.empty() ? "no repair brings the outputs back" : finding.not_repaired;
    if (moved && finding.before <= kSevereGap)
      cause.evidence.push_back("with all that was found before it repaired, the logits lie " + number(finding.before, 3) +
                               " of their standard deviation from the reference's, below the limit of " + number(kSevereGap, 2));
    // What is left when all that was found before it is repaired has to matter.
    add(std::move(cause), (severe && analysis.kernels.empty()) || finding.before > kSevereGap, finding.restores);
  }
  return causes;
}

}  // namespace edgeprobe::diagnose
