// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/model/precision_cause.h"

#include <cmath>
#include <set>

#include "core/evenly_spaced.h"
#include "core/index.h"
#include "core/text.h"
#include "diagnose/precision/told.h"
#include "diagnose/replay/emulated.h"
#include "diagnose/replay/quality.h"
#include "model/state.h"

namespace edgeprobe::diagnose {
namespace {

// Fewer replays for float16 sums, which are emulated term by term.
constexpr std::size_t kReplayed = 24, kReplayedSums = 6, kLeastSteps = 2;
// The replay with rounded products must come this close to the target, as a fraction of the
// target's distance from float32.
constexpr double kLands = 0.5;

constexpr const char* kPredict = "; `edgeprobe predict-precision` says what that does to the model";

std::string said(const Telltale& found) {
  return "the target stored " + std::to_string(found.narrow) + " of " +
         std::to_string(found.target.layers) + " recorded float32 layers in " + name(found.scheme) +
         ", from '" + sanitized(found.target.first, 60) + "' on: every value is such a number" +
         (found.reference_recorded ? ", and the reference's are not" : "") + kPredict;
}

std::string said(const Told& told, const model::Graph& graph, const Recording& recorded) {
  std::string text = "the target rounds the operands of its products (" + told.format() + "): on " +
                     std::to_string(told.layers) + " recorded layers tried, that lies " +
                     number(told.distance, 2) + " of their size from what was recorded, float32 " +
                     number(told.shift, 2);
  if (const auto others = told.unexplained(); !others.empty()) {
    const int tensor = recorded.runner->steps()[others.front()].outputs.front();
    text += "; it does not explain " + std::to_string(others.size()) + " of " +
            std::to_string(told.fit.steps.size()) + " layers, first '" +
            sanitized(graph.tensors[at(tensor)].spec.name, 60) + "'";
  }
  return text + kPredict;
}

bool same_model(const Case& known) {
  const std::string& reference = known.reference_pipeline->graph.sha256;
  return known.target_model ? known.target_model->graph.sha256 == reference
                            : known.target->declared("model_sha256") == reference;
}

Answers only(const Answers& all, const std::vector<std::size_t>& which) {
  Answers some;
  for (const std::size_t i : which) {
    some.frames.push_back(all.frames[i]);
    some.outputs.push_back(all.outputs[i]);
  }
  return some;
}

/// Answers of the replay with only this change, and of both sides for the same frames.
struct Emulated {
  Answers answers, same_input, target;
};

Result<Emulated> replay(const Examination& examined, Recording& recorded, const Told& told,
                        const layers::ModelFile& model, const Control& control) {
  const Case& known = examined.study.known;
  const Answers& same = *examined.replays.same_input;
  Emulated out;
  const std::vector<std::size_t> which = evenly_spaced(
      same.frames.size(), precision::sums_in_float16(told.scheme) ? kReplayedSums : kReplayed);
  out.same_input = only(same, which);
  out.target = only(examined.replays.target, which);
  std::vector<precision::Values> inputs;
  for (const std::uint32_t frame : out.target.frames) {
    EP_TRY(auto fed, recorded_values(known, *model.graph, frame, false));
    inputs.push_back(std::move(fed));
  }
  const std::vector<std::size_t> exact = told.exact();
  EP_TRY(out.answers,
         emulated_answers(*recorded.runner, model, std::move(inputs), out.target.frames,
                          told.scheme, {exact.begin(), exact.end()}, control));
  return out;
}

// True if the reference's steps can be compared with the target's.
bool is_emulable(const Examination& examined) {
  const Case& known = examined.study.known;
  if (!known.reference_pipeline || known.guessed_recipe) return false;
  const model::Graph& graph = known.reference_pipeline->graph;
  return graph.inputs.size() == 1 && model::state_of(graph).empty() && same_model(known) &&
         examined.layers && examined.layers->skipped.empty() &&
         !examined.replays.target.frames.empty();
}

// True if outputs on the same input differ enough to need an explanation.
bool is_replayable(const Examination& examined) {
  const std::optional<Answers>& same = examined.replays.same_input;
  if (!same || same->outputs.empty() || same->frames != examined.replays.target.frames)
    return false;
  const auto gap =
      mean_distance(examined.study.agreement.output_distance_kind, *same, examined.replays.target);
  return broken_frames(*same, examined.replays.target) > 0 || (gap && *gap > examined.floor);
}

void add_layer_evidence(const std::optional<Telltale>& stored, const Told& told, Cause& cause) {
  if (stored)
    cause.evidence.push_back({EvidenceKind::kStoredPrecision,
                              {{"format", name(stored->scheme)},
                               {"layers", stored->narrow},
                               {"of", stored->target.layers}}});
  if (told.layers > 0)
    cause.evidence.push_back({EvidenceKind::kPrecisionNearest,
                              {{"format", name(told.scheme)},
                               {"layers", told.layers},
                               {"distance", told.distance},
                               {"moved", told.shift}}});
  for (const precision::Scheme other : told.undecided)
    cause.evidence.push_back({EvidenceKind::kPrecisionUndecided,
                              {{"format", name(told.scheme)}, {"other", name(other)}}});
  if (stored && told.fit.denormal > 0)
    cause.evidence.push_back({EvidenceKind::kPrecisionDenormal,
                              {{"values", told.fit.denormal}, {"zeros", told.fit.flushed}}});
  const std::size_t steps = told.fit.steps.size();
  cause.evidence.push_back(
      {told.products ? EvidenceKind::kPrecisionSteps : EvidenceKind::kPrecisionLayers,
       {{"format", name(told.scheme)},
        {"layers", steps - told.unexplained().size()},
        {"of", steps}}});
}

void add_fixes(const Told& told, Cause& cause) {
  using precision::Scheme;
  std::set<Scheme> schemes(told.undecided.begin(), told.undecided.end());
  schemes.insert(told.scheme);
  const bool tf32 = schemes.count(Scheme::kTf32) + schemes.count(Scheme::kTf32Cut) > 0;
  if (tf32) {
    cause.fix_code["environment"] = "NVIDIA_TF32_OVERRIDE=0  # cuBLAS and cuDNN";
    cause.fix_code["onnxruntime"] =
        "onnxruntime.InferenceSession(model, providers=[(\"CUDAExecutionProvider\", "
        "{\"use_tf32\": 0})])";
    cause.fix_code["pytorch"] =
        "torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False";
  } else {
    cause.fix_code["openvino"] =
        "core.compile_model(model, device, {\"INFERENCE_PRECISION_HINT\": \"f32\"})";
    cause.fix_code["android"] =
        "GpuDelegateFactory.Options().setPrecisionLossAllowed(false)  // LiteRT on a GPU";
  }
  if (told.scheme == Scheme::kBFloat16Products)
    cause.fix_code["onnxruntime"] =
        "options.add_session_config_entry(\"mlas.enable_gemm_fastmath_arm64_bfloat16\", \"0\")";
  const Scheme predicted = tf32 ? Scheme::kTf32 : told.scheme;
  cause.fix_code["edgeprobe"] = std::string("edgeprobe predict-precision MODEL --precisions ") +
                                name(predicted) + " --data DIR  # layers to keep in float32";
}

std::string detail_of(const Told& told) {
  std::string text = told.products ? "the target rounds the operands of its products (" +
                                         told.format() + ") and the model file says float32"
                                   : "the target computes in " + std::string(name(told.scheme)) +
                                         "; the model file says float32";
  if (!told.products && !told.undecided.empty())
    text += "; the recording does not show how it adds up (" + told.format() + ")";
  if (told.flushes.value_or(false)) text += "; denormal numbers become zero";
  return text;
}

// The arithmetic as a cause, from the recorded layers only.
Cause layer_cause(const std::optional<Telltale>& stored, const Told& told) {
  Cause cause;
  cause.kind = CauseKind::kPrecision;
  cause.stage = CauseStage::kModel;
  cause.detail = detail_of(told);
  add_layer_evidence(stored, told, cause);
  add_fixes(told, cause);
  return cause;
}

// Nothing if the replay does not confirm it.
std::optional<Cause> cause_of(const Examination& examined, const std::optional<Telltale>& stored,
                              const Told& told, const Emulated& emulated) {
  const compare::OutputDistance kind = examined.study.agreement.output_distance_kind;
  const auto gap = mean_distance(kind, emulated.same_input, emulated.target),
             made = mean_distance(kind, emulated.same_input, emulated.answers),
             left = mean_distance(kind, emulated.target, emulated.answers);
  const std::uint64_t broken = broken_frames(emulated.same_input, emulated.target),
                      breaks = broken_frames(emulated.same_input, emulated.answers);
  const bool loses = gap && made && *gap > 0 && *made * 2 >= *gap;
  const bool enough = broken > 0 ? breaks * 2 >= broken
                                 : loses && (!told.products || (left && *left <= kLands * *gap));
  if (!enough) return std::nullopt;
  Cause cause = layer_cause(stored, told);
  cause.status = CauseStatus::kConfirmed;
  const std::string format = name(told.scheme);
  if (broken > 0)
    cause.evidence.push_back({EvidenceKind::kPrecisionBreaks,
                              {{"format", format},
                               {"frames", breaks},
                               {"target_frames", broken},
                               {"of", emulated.target.frames.size()}}});
  else
    cause.evidence.push_back({EvidenceKind::kPrecisionReplayed,
                              {{"format", format},
                               {"distance", *made},
                               {"target_distance", *gap},
                               {"kind", compare::name(kind)}}});
  if (broken == 0 && told.products)
    cause.evidence.push_back(
        {EvidenceKind::kPrecisionLands, {{"distance", *left}, {"kind", compare::name(kind)}}});
  if (const auto share = quality_of(examined.study, *examined.replays.same_input).value) {
    cause.restored = *share;
    cause.restored_unit =
        examined.study.known.metric ? RestoredUnit::kMetric : RestoredUnit::kAccuracy;
  } else {
    cause.restored_unavailable = Unavailable{UnavailableKind::kOutputsNotComparable};
  }
  return cause;
}

// True if the format explains every layer. A layer that it does not explain may have another fault.
bool explains_all(const Told& told) {
  return told.fit.steps.size() >= kLeastSteps && told.unexplained().empty();
}

/// Result from the recorded layers, and from its replay.
struct Answer {
  std::string said;  ///< Warning text if the replay does not confirm it.
  std::optional<Cause> cause;
  std::optional<LessPrecise> less_precise;
};

// Layers that the arithmetic does not explain.
std::set<int> unexplained_layers(const Told& told, const Recording& recorded) {
  std::set<int> layers;
  for (const std::size_t step : told.unexplained()) {
    const std::vector<int>& of = recorded.runner->steps()[step].layers;
    layers.insert(of.begin(), of.end());
  }
  return layers;
}

Result<Answer> answer(const Examination& examined, const std::optional<Telltale>& stored,
                      const Control& control) {
  const Case& known = examined.study.known;
  pipeline::Pipeline& reference = *known.reference_pipeline;
  const layers::Host host{reference.engine.get(), reference.spec.session};
  const layers::ModelFile model{&reference.graph, reference.file};
  Answer out;
  const std::vector<std::uint32_t>& frames = examined.replays.target.frames;
  // With stored formats, the norm's output is rounded either way.
  EP_TRY(auto apart, stored ? Result<std::set<int>>(std::set<int>{})
                            : norms_apart(known, reference.graph, frames.front()));
  EP_TRY(auto recorded, recording_of(known, host, model, frames, apart));
  std::optional<Told> told;
  if (stored) {
    EP_TRY(told, told_of_stored(recorded, *stored, control));
  } else {
    auto off = judged_products_are_off(*examined.layers);
    if (!off) {
      EP_TRY(off, products_are_off(recorded, control));
    }
    if (!*off) return out;
    EP_TRY(told, told_of_products(recorded, control));
    if (!told) return out;
    out.said = said(*told, reference.graph, recorded);
  }
  if (told->fit.steps.size() >= kLeastSteps)
    out.less_precise = LessPrecise{layer_cause(stored, *told), unexplained_layers(*told, recorded)};
  if (!explains_all(*told) || !is_replayable(examined)) return out;
  EP_TRY(auto emulated, replay(examined, recorded, *told, model, control));
  out.cause = cause_of(examined, stored, *told, emulated);
  return out;
}

}  // namespace

Result<Findings> find_precision(const Examination& examined, const Control& control) {
  Findings found;
  EP_TRY(const auto stored, stored_telltale(examined.study.known, control));
  if (is_emulable(examined) && (!stored || is_replayable(examined))) {
    auto answered = answer(examined, stored, control);
    if (!answered && answered.error().kind == ErrorKind::kInterrupted)
      return std::move(answered.error());
    if (!answered) {
      found.warnings.push_back("less precise arithmetic was not emulated: " +
                               answered.error().what);
    } else {
      found.less_precise = std::move(answered->less_precise);
      if (answered->cause) {
        found.causes.push_back(*std::move(answered->cause));
        found.repaired_input = examined.replays.same_input;
        return found;
      }
      if (!answered->said.empty()) found.warnings.push_back(std::move(answered->said));
    }
  }
  if (stored) found.warnings.push_back(said(*stored));
  return found;
}

}  // namespace edgeprobe::diagnose
