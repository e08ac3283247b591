// SPDX-License-Identifier: Apache-2.0
#include "diagnose/precision_cause.h"

#include <cmath>
#include <set>

#include "core/evenly_spaced.h"
#include "core/text.h"
#include "model/state.h"
#include "precision/emulate.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kFrames = 3, kReplayed = 24, kLeastSteps = 2;
// More than 8-bit codes with one scale have, which may be bfloat16 numbers too.
constexpr std::size_t kLeastDistinct = 300;

bool is_number_of(precision::Scheme scheme, float value) {
  return !std::isfinite(value) || precision::rounded(scheme, value) == value;
}

/// Recorded float32 layers whose values could tell, and those that hold one format's alone.
struct Stored {
  std::size_t layers = 0, float16 = 0, bfloat16 = 0;
  std::string first;
};

Result<Stored> stored(const trace::Reader& reader, const Control& control) {
  Stored found;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kLayer ||
        channel.channel.spec.dtype != DType::kFloat32)
      continue;
    if (control.stopped()) return interrupted();
    bool float16 = true, bfloat16 = true;
    std::set<float> distinct;
    for (std::size_t f = 0; f < reader.frames().size() && f < kFrames; ++f) {
      const auto tensor = reader.read(reader.frames()[f], channel.id);
      if (!tensor) return tensor.error();
      if (!*tensor) continue;
      const auto values = to_float(**tensor);
      if (!values) return values.error();
      for (const float value : *values) {
        float16 = float16 && is_number_of(precision::Scheme::kFloat16, value);
        bfloat16 = bfloat16 && is_number_of(precision::Scheme::kBFloat16, value);
        if (distinct.size() < kLeastDistinct && std::isfinite(value)) distinct.insert(value);
      }
    }
    if (distinct.size() < kLeastDistinct) continue;
    ++found.layers;
    if (!float16 && !bfloat16) continue;
    if (found.first.empty()) found.first = channel.channel.spec.name;
    ++(bfloat16 ? found.bfloat16 : found.float16);
  }
  return found;
}

/// What the recordings alone say.
struct Telltale {
  precision::Scheme scheme{};
  std::size_t narrow = 0;
  Stored target;
  bool reference_recorded = false;
};

Result<std::optional<Telltale>> telltale(const Case& known, const Control& control) {
  const auto target = stored(*known.target, control);
  if (!target) return target.error();
  const std::size_t narrow = target->float16 + target->bfloat16;
  // A quarter: engines keep sums and what joins branches in float32.
  if (narrow < 2 || narrow * 4 < target->layers) return std::optional<Telltale>{};
  const auto reference = stored(*known.reference, control);
  if (!reference) return reference.error();
  if ((reference->float16 + reference->bfloat16) * 4 >= reference->layers && reference->layers > 0)
    return std::optional<Telltale>{};
  return std::optional(Telltale{target->bfloat16 >= target->float16 ? precision::Scheme::kBFloat16
                                                                    : precision::Scheme::kFloat16,
                                narrow, *target, reference->layers > 0});
}

std::string said(const Telltale& found) {
  return "the target stored " + std::to_string(found.narrow) + " of " +
         std::to_string(found.target.layers) + " recorded float32 layers in " + name(found.scheme) +
         ", from '" + sanitized(found.target.first, 60) + "' on: every value is such a number" +
         (found.reference_recorded ? ", and the reference's are not" : "") +
         "; `edgeprobe predict-precision` says what that does to the model";
}

bool same_model(const Case& known) {
  const std::string& reference = known.reference_pipeline->graph.sha256;
  return known.target_model ? known.target_model->graph.sha256 == reference
                            : known.target->declared("model_sha256") == reference;
}

// Recorded tensors of a frame by the reference's numbers; the names are the file's.
Result<precision::Values> recorded_values(const Case& known, const model::Graph& graph,
                                          std::uint32_t frame, bool layers) {
  precision::Values values;
  std::map<std::string, int> tensors;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t)
    tensors.emplace(graph.tensors[t].spec.name, static_cast<int>(t));
  for (const trace::ReadChannel& channel : known.target->channels()) {
    const trace::Stage stage = channel.channel.stage;
    const bool is_input = stage == trace::Stage::kModelInput;
    if (!is_input &&
        !(layers && (stage == trace::Stage::kLayer || stage == trace::Stage::kModelOutput)))
      continue;
    const auto found = tensors.find(channel.channel.spec.name);
    const int tensor = is_input                 ? graph.inputs.front()
                       : found == tensors.end() ? -1
                                                : found->second;
    if (tensor < 0) continue;
    const auto read = known.target->read(frame, channel.id);
    if (!read) return read.error();
    if (!*read ||
        (*read)->spec->dtype != graph.tensors[static_cast<std::size_t>(tensor)].spec.dtype)
      continue;
    TensorSpec spec = graph.tensors[static_cast<std::size_t>(tensor)].spec;
    spec.shape = (*read)->spec->shape;
    values[tensor] = Tensor{spec, (*read)->bytes.copy()};
  }
  return values;
}

Answers only(const Answers& all, const std::vector<std::size_t>& which) {
  Answers some;
  for (const std::size_t i : which) {
    some.frames.push_back(all.frames[i]);
    some.outputs.push_back(all.outputs[i]);
  }
  return some;
}

/// The replay with the one change.
struct Emulated {
  precision::Fit fit;
  Answers answers, same_input, target;
};

Result<Emulated> replay(const Examination& examined, precision::Scheme scheme,
                        const Control& control) {
  const Case& known = examined.study.known;
  pipeline::Pipeline& reference = *known.reference_pipeline;
  const Answers& same = *examined.replays.same_input;
  Emulated out;
  const std::vector<std::size_t> which = evenly_spaced(same.frames.size(), kReplayed);
  out.same_input = only(same, which);
  out.target = only(examined.replays.target, which);
  const layers::Host host{reference.engine.get(), reference.spec.session};
  const layers::ModelFile model{&reference.graph, reference.file};
  auto runner = precision::StepRunner::open(host, model);
  if (!runner) return std::move(runner.error());
  std::vector<precision::Values> recorded, inputs;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (i < kFrames) {
      auto values = recorded_values(known, reference.graph, out.target.frames[i], true);
      if (!values) return std::move(values.error());
      recorded.push_back(*std::move(values));
    }
    auto fed = recorded_values(known, reference.graph, out.target.frames[i], false);
    if (!fed) return std::move(fed.error());
    inputs.push_back(*std::move(fed));
  }
  auto fit = precision::fit(**runner, recorded, scheme, control);
  if (!fit) return std::move(fit.error());
  out.fit = *fit;
  auto outputs = precision::emulate(**runner, model, std::move(inputs), scheme, control);
  if (!outputs) return std::move(outputs.error());
  out.answers.frames = out.target.frames;
  for (const std::vector<Tensor>& tensors : *outputs) {
    auto answer = outputs_of(tensors);
    if (!answer) return std::move(answer.error());
    out.answers.outputs.push_back(*std::move(answer));
  }
  return out;
}

// Whether the model can be replayed so, and there is something to explain.
bool is_replayable(const Examination& examined) {
  const Case& known = examined.study.known;
  const std::optional<Answers>& same = examined.replays.same_input;
  if (!known.reference_pipeline || known.guessed_recipe || !same || same->outputs.empty() ||
      same->frames != examined.replays.target.frames)
    return false;
  const model::Graph& graph = known.reference_pipeline->graph;
  if (graph.inputs.size() != 1 || !model::state_of(graph).empty() || !same_model(known) ||
      !examined.layers || !examined.layers->skipped.empty())
    return false;
  const auto gap =
      mean_distance(examined.study.agreement.output_distance_kind, *same, examined.replays.target);
  return broken_frames(*same, examined.replays.target) > 0 || (gap && *gap > examined.floor);
}

// Nothing when the replay does not confirm it.
std::optional<Cause> cause_of(const Examination& examined, const Telltale& found,
                              const Emulated& emulated) {
  const compare::OutputDistance kind = examined.study.agreement.output_distance_kind;
  const auto gap = mean_distance(kind, emulated.same_input, emulated.target),
             made = mean_distance(kind, emulated.same_input, emulated.answers);
  const std::uint64_t broken = broken_frames(emulated.same_input, emulated.target),
                      breaks = broken_frames(emulated.same_input, emulated.answers);
  const precision::Fit& fit = emulated.fit;
  // One layer that the format does not explain may be another fault.
  if (fit.steps < kLeastSteps || fit.explained < fit.steps) return std::nullopt;
  const bool enough =
      broken > 0 ? breaks * 2 >= broken : gap && made && *gap > 0 && *made * 2 >= *gap;
  if (!enough) return std::nullopt;
  Cause cause;
  cause.kind = CauseKind::kPrecision;
  cause.status = CauseStatus::kConfirmed;
  cause.stage = CauseStage::kModel;
  cause.detail =
      std::string("the target computes in ") + name(found.scheme) + "; the model file says float32";
  cause.evidence.push_back(
      {EvidenceKind::kStoredPrecision,
       {{"format", name(found.scheme)}, {"layers", found.narrow}, {"of", found.target.layers}}});
  cause.evidence.push_back(
      {EvidenceKind::kPrecisionLayers,
       {{"format", name(found.scheme)}, {"layers", fit.explained}, {"of", fit.steps}}});
  if (broken > 0)
    cause.evidence.push_back({EvidenceKind::kPrecisionBreaks,
                              {{"format", name(found.scheme)},
                               {"frames", breaks},
                               {"target_frames", broken},
                               {"of", emulated.target.frames.size()}}});
  else
    cause.evidence.push_back({EvidenceKind::kPrecisionReplayed,
                              {{"format", name(found.scheme)},
                               {"distance", *made},
                               {"target_distance", *gap},
                               {"kind", compare::name(kind)}}});
  const auto right = [&](const Answers& answers) {
    return scored(answers, examined.study.annotations, examined.study.task).mean();
  };
  if (const auto share = right(*examined.replays.same_input)) {
    cause.restored = *share;
    cause.restored_unit = RestoredUnit::kAccuracy;
  } else {
    cause.restored_unavailable = Unavailable{UnavailableKind::kOutputsNotComparable};
  }
  cause.fix_code["openvino"] =
      "core.compile_model(model, device, {\"INFERENCE_PRECISION_HINT\": \"f32\"})";
  cause.fix_code["android"] =
      "GpuDelegateFactory.Options().setPrecisionLossAllowed(false)  // LiteRT on a GPU";
  cause.fix_code["edgeprobe"] = std::string("edgeprobe predict-precision MODEL --precisions ") +
                                name(found.scheme) + " --data DIR  # layers to keep in float32";
  return cause;
}

}  // namespace

Result<Findings> find_precision(const Examination& examined, const Control& control) {
  Findings found;
  const auto tells = telltale(examined.study.known, control);
  if (!tells) return tells.error();
  if (!*tells) return found;
  if (is_replayable(examined)) {
    auto emulated = replay(examined, (*tells)->scheme, control);
    if (!emulated && emulated.error().kind == ErrorKind::kInterrupted)
      return std::move(emulated.error());
    std::optional<Cause> cause;
    if (emulated) cause = cause_of(examined, **tells, *emulated);
    else
      found.warnings.push_back("the reference was not emulated in " +
                               std::string(name((*tells)->scheme)) + ": " + emulated.error().what);
    if (cause) {
      found.causes.push_back(*std::move(cause));
      found.repaired_input = examined.replays.same_input;
      return found;
    }
  }
  found.warnings.push_back(said(**tells));
  return found;
}

}  // namespace edgeprobe::diagnose
