// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/recorded_fault.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "compare/align/layout.h"
#include "core/evenly_spaced.h"
#include "core/index.h"
#include "core/text.h"
#include "diagnose/detectors/model/first_layer.h"
#include "diagnose/detectors/model/relation.h"
#include "diagnose/replay/quality.h"
#include "engine/kinds.h"
#include "layers/replay/fragment.h"
#include "model/cut.h"

namespace edgeprobe::diagnose {
namespace {

using compare::LayerAgreement;

constexpr std::size_t kMostFrames = 32, kMostSpots = 8, kMostHeld = std::size_t{1} << 22;
/// Relative L2 below which values are the same but for rounding, and the same as a squared error.
constexpr double kRounding = 1e-3, kEqual = kRounding * kRounding;
/// Fraction of a difference that may remain once its cause is removed: other kernels' rounding.
constexpr double kRemains = 2e-3;

/// A layer that differs, and those before it that do not.
struct Spot {
  const LayerAgreement* layer = nullptr;
  std::map<int, const LayerAgreement*> before;  ///< By the target's tensor.
  int tensor = -1;                              ///< Of `layer`, in the target's graph.
};

int tensor_of(const model::Graph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (!graph.tensors[i].is_constant && graph.tensors[i].spec.name == name)
      return static_cast<int>(i);
  return -1;
}

/// The first layer that differs, and the ones after it, which differ as well or are spoilt: the
/// first may be paired with a tensor that the fault only resembles, such as that before its
/// activation.
std::vector<Spot> spots_of(const Study& study) {
  std::vector<Spot> spots;
  const auto first = first_recorded_layer(study.agreement, study.known.first_above);
  if (!first) return spots;
  const model::Graph& graph = study.known.target_model->graph;
  std::map<int, const LayerAgreement*> before;
  bool begun = false;
  for (const LayerAgreement& layer : study.agreement.layers) {
    const bool inner = layer.stage == trace::Stage::kLayer;
    if (!inner && layer.stage != trace::Stage::kModelOutput) continue;
    const int tensor = tensor_of(graph, layer.target_name);
    begun = begun || (layer.name == first->name && (inner ? layer.position : -1) == first->index);
    const bool equal = layer.distances.exact || layer.distances.nse_error.value_or(1) < kEqual;
    if (tensor >= 0 && inner && equal) before.emplace(tensor, &layer);
    if (tensor >= 0 && begun && !equal && spots.size() < kMostSpots)
      spots.push_back({&layer, before, tensor});
  }
  return spots;
}

/// Values of a tensor of one side in a frame. Nothing if they were not recorded.
Result<std::optional<Tensor>> read(const trace::Reader& reader, std::uint32_t frame,
                                   trace::Stage stage, const std::string& name) {
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != stage || channel.channel.spec.name != name) continue;
    EP_TRY(const auto message, reader.read(frame, channel.id));
    if (message) return std::optional(message->copy());
  }
  return std::optional<Tensor>();
}

Shape without_ones(Shape shape) {
  std::erase(shape, 1);
  return shape;
}

/// The reference's values of a layer, in the target's layout. Nothing if they do not fit.
Result<std::optional<Tensor>> reference_values(const Study& study, const LayerAgreement& layer,
                                               std::uint32_t frame, const Shape& wanted) {
  EP_TRY(auto values, read(*study.known.reference, frame, layer.stage, layer.name));
  if (!values || !is_float(values->spec.dtype)) return std::optional<Tensor>();
  // 1x6 and 1x6x1x1 are the same values in the same order.
  const bool is_same = without_ones(values->spec.shape) == without_ones(wanted);
  if (is_same && !layer.transposed) values->spec.shape = wanted;
  std::vector<int> moved(wanted.size());
  std::iota(moved.begin(), moved.end(), 0);
  if (values->spec.shape != wanted || layer.transposed) {
    const auto layouts = compare::layouts_of(wanted, values->spec.shape);
    const auto fit = std::find_if(layouts.begin(), layouts.end(),
                                  [&](const auto& one) { return one.empty() != layer.transposed; });
    if (fit == layouts.end()) return std::optional<Tensor>();
    if (!fit->empty()) moved = *fit;
  }
  EP_TRY(auto real, compare::transposed(*values, moved));
  return std::optional(std::move(real));
}

/// Parts of the target's model on its own engine, fed from the recordings.
class Parts {
 public:
  Parts(const Study& study, const Spot& spot)
      : study_(study), spot_(spot), model_(*study.known.target_model) {}

  /// Runs `part` on one joined frame. Tensors of `swapped` and those before the place are the
  /// reference's. Nothing if a value is missing.
  Result<std::optional<std::vector<Tensor>>> run(const model::Part& part,
                                                 const compare::FrameAgreement& frame,
                                                 const LayerAgreement* swapped) {
    std::vector<Tensor> held;
    std::vector<Shape> shapes;
    for (const int input : part.inputs) {
      EP_TRY(auto value, value_of(input, frame, swapped));
      if (!value || value->spec.dtype != model_.graph.tensors[at(input)].spec.dtype)
        return std::optional<std::vector<Tensor>>();
      shapes.push_back(value->spec.shape);
      held.push_back(*std::move(value));
    }
    if (!fragment_ || shapes != shapes_) {
      EP_TRY(auto opened,
             layers::Fragment::open({model_.engine.get(), model_.spec.session},
                                    {&model_.graph, model_.file.view()}, part, shapes));
      fragment_.emplace(std::move(opened));
      shapes_ = shapes;
    }
    const std::vector<TensorView> views(held.begin(), held.end());
    EP_TRY(auto outputs, fragment_->run(views));
    return std::optional(std::move(outputs));
  }
  void forget() { fragment_.reset(); }

 private:
  Result<std::optional<Tensor>> value_of(int tensor, const compare::FrameAgreement& frame,
                                         const LayerAgreement* swapped) {
    const TensorSpec& spec = model_.graph.tensors[at(tensor)].spec;
    const auto equal = spot_.before.find(tensor);
    const LayerAgreement* const layer = swapped && tensor == spot_.tensor ? swapped
                                        : equal != spot_.before.end()     ? equal->second
                                                                          : nullptr;
    if (!layer)
      return read(*study_.known.target, frame.target, trace::Stage::kModelInput, spec.name);
    EP_TRY(const auto own, read(*study_.known.target, frame.target, layer->stage, spec.name));
    if (!own) return std::optional<Tensor>();
    return reference_values(study_, *layer, frame.reference, own->spec.shape);
  }

  const Study& study_;
  const Spot& spot_;
  const pipeline::Pipeline& model_;
  std::optional<layers::Fragment> fragment_;
  std::vector<Shape> shapes_;
};

double relative(const std::vector<float>& of, const std::vector<float>& reference) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const double d = double{of[i]} - reference[i];
    difference += d * d;
    norm += double{reference[i]} * reference[i];
  }
  return norm > 0 ? std::sqrt(difference / norm) : difference > 0 ? 1 : 0;
}

/// The operators before the spot, as a model of their own, on the reference's values.
struct Alone {
  model::Part part;
  LayerValues values;
  double from_reference = 0, from_recording = 0;  ///< Relative L2 over all frames.
};

void append(LayerValues& values, const std::vector<float>& reference,
            const std::vector<float>& target, const Shape& shape, std::size_t axis) {
  values.inner = 1;
  for (std::size_t d = axis + 1; d < shape.size(); ++d)
    values.inner *= static_cast<std::size_t>(shape[d]);
  values.channels = static_cast<std::size_t>(shape[axis]);
  values.reference.insert(values.reference.end(), reference.begin(), reference.end());
  values.target.insert(values.target.end(), target.begin(), target.end());
}

/// Frames whose values of this layer stay in memory.
std::size_t frames_for(const LayerAgreement& layer) {
  const std::size_t values = std::max<std::size_t>(1, element_count(layer.shape).value_or(1));
  return std::clamp<std::size_t>(kMostHeld / values, 1, kMostFrames);
}

/// Marks the tensors whose values the recordings have before the spot, for model::part_for().
std::vector<bool> fed_before(const model::Graph& graph, const Spot& spot) {
  std::vector<bool> fed(graph.tensors.size(), false);
  for (const auto& [tensor, layer] : spot.before) fed[at(tensor)] = true;
  return fed;
}

Result<std::optional<Alone>> run_alone(const Study& study, const Spot& spot, Parts& parts,
                                       const Control& control) {
  const model::Graph& graph = study.known.target_model->graph;
  const std::vector<bool> fed = fed_before(graph, spot);
  Alone alone{model::part_for(graph, {spot.tensor}, fed), {}, 0, 0};
  if (alone.part.layers.empty()) return std::optional<Alone>();
  std::vector<float> recorded;
  const auto& frames = study.agreement.frames;
  for (const std::size_t i : evenly_spaced(frames.size(), frames_for(*spot.layer))) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto outputs, parts.run(alone.part, frames[i], nullptr));
    EP_TRY(const auto own,
           read(*study.known.target, frames[i].target, spot.layer->stage, spot.layer->target_name));
    if (!outputs || outputs->size() != 1 || !own) return std::optional<Alone>();
    const Shape& shape = own->spec.shape;
    EP_TRY(const auto right, reference_values(study, *spot.layer, frames[i].reference, shape));
    if (!right || shape.empty() || outputs->front().spec.shape != shape)
      return std::optional<Alone>();
    EP_TRY(const auto made, to_float(outputs->front()));
    EP_TRY(const auto wanted, to_float(*right));
    EP_TRY(const auto seen, to_float(*own));
    const bool channels_first = graph.format == "onnx" && shape.size() > 2;
    append(alone.values, wanted, made, shape, channels_first ? 1 : shape.size() - 1);
    recorded.insert(recorded.end(), seen.begin(), seen.end());
  }
  parts.forget();
  alone.from_reference = relative(alone.values.target, alone.values.reference);
  alone.from_recording = relative(alone.values.target, recorded);
  return std::optional(std::move(alone));
}

/// Outputs of the rest of the target's model with the reference's values at the spot.
Result<std::optional<Answers>> run_rest(const Study& study, const Spot& spot, Parts& parts,
                                        const Control& control) {
  const model::Graph& graph = study.known.target_model->graph;
  std::vector<bool> fed = fed_before(graph, spot);
  fed[at(spot.tensor)] = true;
  const model::Part part = model::part_for(graph, graph.outputs, fed);
  if (part.layers.empty()) return std::optional<Answers>();
  Answers answers;
  const auto& frames = study.agreement.frames;
  for (const std::size_t i : evenly_spaced(frames.size(), study.known.max_replay)) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto outputs, parts.run(part, frames[i], spot.layer));
    if (!outputs) return std::optional<Answers>();
    answers.frames.push_back(frames[i].target);
    EP_TRY(auto values, outputs_of(*outputs));
    answers.outputs.push_back(std::move(values));
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(), "frames with the reference's layer");
  }
  parts.forget();
  return std::optional(std::move(answers));
}

std::string between(const Study& study, const Spot& spot, const model::Part& part) {
  std::vector<std::string> from, types;
  const model::Graph& graph = study.known.target_model->graph;
  for (const int input : part.inputs) {
    const auto layer = spot.before.find(input);
    from.push_back(in_quotes(
        layer != spot.before.end() ? layer->second->name : graph.tensors[at(input)].spec.name, 60));
  }
  for (const int layer : part.layers)
    if (const std::string& type = graph.layers[at(layer)].type;
        std::find(types.begin(), types.end(), type) == types.end())
      types.push_back(type);
  return (part.layers.size() == 1 ? "the target's " : "the target's operators (") +
         joined(types, ", ") + (part.layers.size() == 1 ? "" : ")") + " between " +
         joined(from, ", ") + " and " + in_quotes(spot.layer->name, 60);
}

/// Operators whose result is in proportion to their weights, and those that have no options that
/// change a value.
constexpr std::string_view kWeighted[] = {
    "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV",
    "Conv",    "ConvTranspose",     "MatMul"};
constexpr std::string_view kPlain[] = {
    "RELU",    "Relu",        "LEAKY_RELU",  "LeakyRelu",     "RESHAPE", "Reshape",
    "Flatten", "TRANSPOSE",   "Transpose",   "SQUEEZE",       "Squeeze", "SHAPE",
    "Shape",   "EXPAND_DIMS", "Unsqueeze",   "PACK",          "GATHER",  "STRIDED_SLICE",
    "Gather",  "DEQUANTIZE",  "REDUCE_PROD", "CONCATENATION", "Identity"};

/// True if only the constants of one operator can scale or shift the part's result.
bool has_one_weighted(const model::Graph& graph, const model::Part& part) {
  std::size_t weighted = 0;
  for (const int layer : part.layers) {
    const std::string& type = graph.layers[at(layer)].type;
    const bool is_weighted =
        std::find(std::begin(kWeighted), std::end(kWeighted), type) != std::end(kWeighted);
    if (!is_weighted && std::find(std::begin(kPlain), std::end(kPlain), type) == std::end(kPlain))
      return false;
    weighted += is_weighted;
  }
  return weighted == 1;
}

Cause cause_of(const Study& study, const Spot& spot, const Alone& alone) {
  Cause cause;
  cause.stage = CauseStage::kModel;
  cause.layer = spot.layer->name;
  cause.op_type = spot.layer->type;
  cause.scope = CauseScope::kOp;
  if (spot.layer->stage == trace::Stage::kLayer) cause.layers = {spot.layer->position};
  const auto relation = relation_of(alone.values);
  const std::string where = between(study, spot, alone.part);
  const bool by_weights = relation && has_one_weighted(study.known.target_model->graph, alone.part);
  cause.kind = !by_weights          ? CauseKind::kUnknown
               : relation->scales() ? CauseKind::kWeights
                                    : CauseKind::kBias;
  if (by_weights)
    cause.alternatives = {
        "an operator that the target lacks there, or has in addition, and that "
        "multiplies or adds constants"};
  const bool several = alone.part.layers.size() > 1;
  cause.detail = relation
                     ? where + (several ? " give " : " gives ") + relation->words()
                     : where + (several ? " compute" : " computes") +
                           " something else than the reference, fed with the reference's values";
  cause.evidence.push_back({EvidenceKind::kSegmentAlone,
                            {{"operators", alone.part.layers.size()},
                             {"distance", alone.from_reference},
                             {"recorded", alone.from_recording}}});
  if (relation)
    cause.evidence.push_back(
        {EvidenceKind::kSegmentRelation, {{"explained", relation->explained}}});
  return cause;
}

/// The cause at this place; nothing if the two replays do not show it.
Result<std::optional<Cause>> cause_at(const Study& study, const Spot& spot,
                                      const Control& control) {
  const std::optional<Cause> none;
  Parts parts(study, spot);
  EP_TRY(const auto alone, run_alone(study, spot, parts, control));
  if (!alone || alone->from_reference < kRounding ||
      alone->from_recording > kRemains * alone->from_reference)
    return none;
  Cause cause = cause_of(study, spot, *alone);
  // Where the fault is, is certain; without a relation not what it is.
  cause.status =
      cause.kind == CauseKind::kUnknown ? CauseStatus::kPartial : CauseStatus::kConfirmed;
  if (spot.layer->stage != trace::Stage::kLayer) return std::optional(std::move(cause));
  EP_TRY(const auto rest, run_rest(study, spot, parts, control));
  if (!rest) return none;
  std::vector<std::uint32_t> frames;
  for (const std::size_t i : evenly_spaced(study.agreement.frames.size(), study.known.max_replay))
    frames.push_back(study.agreement.frames[i].reference);
  EP_TRY(const auto reference, recorded(*study.known.reference, frames));
  const compare::OutputDistance kind = study.agreement.output_distance_kind;
  const double before = *study.agreement.output_distance;
  const auto after = mean_distance(kind, reference, *rest);
  if (!after || *after > kRemains * before) return none;
  cause.evidence.push_back(
      {EvidenceKind::kRestRestored,
       {{"layer", cause.layer}, {"before", before}, {"after", *after}, {"kind", name(kind)}}});
  if (const auto quality = quality_of(study, *rest).value) {
    cause.restored = *quality;
    cause.restored_unit = study.known.metric ? RestoredUnit::kMetric : RestoredUnit::kAccuracy;
  } else {
    cause.restored = 1 - *after / before;
    cause.restored_unit = RestoredUnit::kOutputDistance;
  }
  return std::optional(std::move(cause));
}

/// True if the case is one for this detector.
bool applies(const Examination& examined) {
  const Study& study = examined.study;
  const pipeline::Pipeline *const target = study.known.target_model, *const reference =
                                                                         study.known
                                                                             .reference_pipeline;
  if (!target || target->closed || !target->engine || !reference || !reference->closed ||
      !examined.layers || examined.layers->skipped.empty() || !has_equal_inputs(study.agreement))
    return false;
  const engine::EngineKind* const kind = engine::find_kind(target->engine->identity().kind);
  return kind && kind->can(engine::Capability::kLayerReplay) && kind->opens(target->graph.format) &&
         study.agreement.output_distance && *study.agreement.output_distance > examined.floor;
}

}  // namespace

Result<Findings> find_recorded_fault(const Examination& examined, const Control& control) {
  Findings found;
  if (!applies(examined)) return found;
  for (const Spot& spot : spots_of(examined.study)) {
    auto cause = cause_at(examined.study, spot, control);
    if (!cause && cause.error().kind == ErrorKind::kInterrupted) return std::move(cause.error());
    // A part that the engine refuses, or values that were not recorded: another place may do.
    if (!cause || !*cause) continue;
    found.causes.push_back(**std::move(cause));
    break;
  }
  return found;
}

}  // namespace edgeprobe::diagnose
