// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <algorithm>

#include "check/cut_short.h"
#include "check/layer_frames.h"
#include "check/recording.h"
#include "check/reference.h"
#include "check/trace_folder.h"
#include "check/verdict.h"
#include "core/text.h"
#include "diagnose/case/recorded_states.h"
#include "diagnose/diagnose.h"
#include "layers/recorded_frames.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::check {
namespace {

// The trace's model input of that name, or the first one.
const trace::ReadChannel* input_of(const trace::Reader& reader, const std::string& name) {
  const trace::ReadChannel* first = nullptr;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput) continue;
    if (channel.channel.spec.name == name) return &channel;
    if (!first) first = &channel;
  }
  return first;
}

// True if an input accepts the trace's tensor: by dimensions or, if an app omitted the batch, by
// the number of values.
bool takes(const Shape& own, const Shape& held) {
  if (own.size() == held.size())
    return fits(held, own) || (element_count(own) && element_count(own) == element_count(held));
  std::size_t fixed = 1;
  bool open = false;
  for (const std::int64_t dim : own)
    if (dim > 0) fixed *= static_cast<std::size_t>(dim);
    else open = open || dim < 0;
  const std::size_t values = element_count(held).value_or(0);
  return open ? fixed > 0 && values % fixed == 0 : values == fixed;
}

// Empty if the trace does not declare its model, or declares this one.
std::string not_the_recorder(const trace::Reader& target, const pipeline::Pipeline& model) {
  const std::string recorder = target.declared("model_sha256").value_or("");
  if (recorder == model.graph.sha256) return "";
  const TensorSpec& own = model.open_input();
  const trace::ReadChannel* const input = input_of(target, own.name);
  if (input && !takes(own.shape, input->channel.spec.shape))
    return "--model is not what recorded this trace (its input is " + open_text(own.shape) +
           ", the trace holds " + to_text(input->channel.spec.shape) + ")";
  if (recorder.empty()) return "";
  const std::string name = target.declared("model").value_or("");
  return "--model is not what recorded this trace (sha256 " + model.graph.sha256.substr(0, 12) +
         "…, the trace" + (name.empty() ? "" : " of '" + sanitized(name, 60) + "'") + " has " +
         sanitized(recorder.substr(0, 12)) + "…)";
}

// Puts a sentence before all other text.
void say_first(const std::string& what, const char* joined_by, diagnose::Verdict& verdict) {
  if (what.empty()) return;
  verdict.before_headline = what + joined_by + verdict.before_headline;
  verdict.warnings.insert(verdict.warnings.begin(), what);
}

// Specs of the model's inputs in the first frame.
std::vector<TensorSpec> recorded_inputs(const trace::Reader& target) {
  if (target.frames().empty()) return {};
  return pipeline::RecordedInputs(target).specs(target.frames().front());
}

Result<std::optional<pipeline::Pipeline>> open_own_model(const ExplainRequest& request,
                                                         const Observer& observer) {
  std::optional<pipeline::Pipeline> model;
  if (!request.model) return model;
  pipeline::PipelineSpec spec = *request.model;
  // Its recipe is not used, so none is invented: a model without a usual input range has no
  // default. With several inputs, each gets the trace's recording of it.
  spec.recorded = recorded_inputs(*request.target);
  // The recorded inputs replace the user's arrays, which have other sizes if a recipe cuts windows
  // from them.
  if (!spec.recorded.empty())
    spec.arrays = spec.recorded.size() > 1 ? spec.recorded : std::vector<TensorSpec>();
  if (spec.arrays.empty()) spec.recipe.emplace();
  auto opened = pipeline::open(spec, {observer.stop, {}}, pipeline::WhenRefused::kKeepLayers);
  if (!opened) return std::move(opened.error()).during("target's model");
  model.emplace(*std::move(opened));
  return model;
}

}  // namespace

Result<diagnose::Verdict> explain(const ExplainRequest& request, const Observer& observer) {
  const trace::Reader& target = *request.target;
  // The reference feeds its states back correctly, starting where the target's sequences begin.
  EP_TRY(auto states,
         diagnose::recorded_states(target, {request.states, request.raw, nullptr, nullptr}));
  Reference by = request.reference;
  pipeline::TraceSamples raw = *request.raw;
  if (states) {
    const bool carries = share_states(states->pairs, by);
    raw = diagnose::with_beginnings(raw, *states, carries && request.data.empty());
  }
  // Open sizes of a model are taken from the trace, unless a recipe makes others.
  if (auto* const of_model = std::get_if<ReferenceModel>(&by))
    of_model->spec.recorded = recorded_inputs(target);
  if (auto* const of_trace = std::get_if<RecordedReference>(&by); of_trace && of_trace->made_by)
    of_trace->made_by->recorded = recorded_inputs(target);
  EP_TRY(auto model, open_own_model(request, observer));
  const trace::ReadChannel* const recorded_input = input_of(target, "");
  const TensorSpec* const target_input =
      recorded_input && preprocess::stated_range(recorded_input->channel.spec)
          ? &recorded_input->channel.spec
      : model ? &model->input()
              : nullptr;
  EP_TRY(auto reference, open_reference(by, target_input, observer));
  EP_TRY(auto folder, trace_folder(""));
  pipeline::RunOptions options;
  // Matches the level of the target's trace: layers are compared only if it has some.
  if (const auto with_layers = layers::frames_with_layers(target); !with_layers.empty()) {
    options.level = pipeline::Level::kLayers;
    options.layer_frames = request.exhaustive ? std::nullopt : layer_frames(with_layers);
  }
  EP_TRY(auto known, new_case(request.judgement, reference, target_input));
  const std::string other_model = model ? not_the_recorder(target, *model) : "";
  known.target_model = model && other_model.empty() ? &*model : nullptr;
  known.raw = request.raw;
  known.states = request.states;
  known.exhaustive = request.exhaustive;
  known.reference_replayed = !std::holds_alternative<RecordedReference>(request.reference);
  const OwnTrace own(folder.path / "reference.mcap");
  const auto path =
      reference_trace(reference, target, raw, request.data, own.path(), options, observer);
  std::optional<trace::Reader> recorded;
  auto judged = [&]() -> Result<diagnose::Verdict> {
    if (!path) return path.error();
    EP_TRY(auto reader, trace::Reader::open(*path));
    recorded.emplace(std::move(reader));
    known.target = &target;
    known.reference = &*recorded;
    return diagnose::diagnose(known, observer.control("diagnose"));
  }();
  if (!judged && (path || own.is_written()))
    judged = cut_short(known, target.path(), path ? *path : own.path(),
                       {folder.without_advice(std::move(judged.error())), static_cast<bool>(path),
                        raw.samples.empty() ? target.frames().size() : raw.samples.size()});
  if (!judged) return folder.without_advice(std::move(judged.error()));
  diagnose::Verdict verdict = *std::move(judged);
  const diagnose::Coverage& covered = verdict.coverage;
  verdict.coverage.layers_sampled = path && known.reference_replayed && options.layer_frames &&
                                    covered.frames_with_layers > 0 &&
                                    covered.frames_with_layers < covered.frames_compared;
  say_first(request.raw->exchanged, "; read like that, ", verdict);
  say_first(other_model, "; without it: ", verdict);
  verdict.provenance["target.trace"] = target.path().filename().string();
  add_reference(reference, verdict);
  if (known.target_model) {
    describe_pipeline(verdict.provenance, "target", *model);
    add_file_findings(*model, verdict);
    if (!model->refused.empty())
      verdict.warnings.insert(verdict.warnings.begin(),
                              "the target's model does not run here, so its layers are replayed "
                              "one by one: " +
                                  model->refused);
  }
  for (const std::string& problem : target.problems())
    verdict.warnings.push_back("target trace: " + problem);
  if (recorded) add_shortfalls(target, *recorded, verdict);
  if (!request.raw->without_raw.empty())
    verdict.warnings.push_back(std::to_string(request.raw->without_raw.size()) +
                               " frames have no raw input, e.g. " +
                               sanitized(request.raw->without_raw.front()));
  return verdict;
}

}  // namespace edgeprobe::check
