// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/study.h"

#include <algorithm>

#include "compare/align/by_graph.h"
#include "compare/compare_traces.h"
#include "core/index.h"
#include "diagnose/case/counterfactual.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "task/recorded.h"

namespace edgeprobe::diagnose {

namespace {

// Annotations that the data provide for named samples, including those too long for a trace.
std::map<std::string, task::Annotation> annotations_of(const Case& known) {
  std::map<std::string, task::Annotation> by_sample;
  for (std::size_t i = 0; known.raw && i < known.raw->samples.size(); ++i)
    if (const dataset::Sample& sample = known.raw->samples[i];
        sample.annotation && !sample.name.empty())
      by_sample.emplace(sample.name, *sample.annotation);
  return by_sample;
}

// True if a tensor may be a picture: three channels, or one whose codes have the range of pixels.
// With fewer rows or columns it is a series.
bool may_be_picture(const TensorSpec& spec) {
  constexpr std::int64_t kLeastSide = 8;
  Shape shape = spec.shape;
  if (shape.size() == 4) shape.erase(shape.begin());
  if (shape.size() != 3) return false;
  const bool is_planar = shape[0] == 3 && shape[2] != 3;
  if (std::min(shape[1], shape[is_planar ? 2 : 0]) < kLeastSide) return false;
  const bool has_colors = shape[0] == 3 || shape[2] == 3;
  return has_colors || spec.dtype == DType::kUInt8 || preprocess::stated_range(spec);
}

// True if neither a raw input nor a user's recipe shows how the recorded inputs were made.
bool are_all_that_is_known(const Case& known) {
  if (known.raw && !known.raw->samples.empty()) return false;
  if (known.reference_pipeline && known.reference_pipeline->has_recipe() && !known.guessed_recipe)
    return false;
  const trace::ReadChannel* const input = input_channel(*known.reference);
  return input && !may_be_picture(input->channel.spec);
}

// True if recorded tensors feed the deployment, or it has several inputs: no recipe makes a single
// input.
bool are_tensors(const Case& known) {
  if (are_all_that_is_known(known)) return true;
  for (const trace::Reader* side : {known.target, known.reference})
    if (input_names(*side).size() > 1 ||
        side->declared("inputs").value_or("") == pipeline::kTensors)
      return true;
  return known.reference_pipeline && known.reference_pipeline->session->inputs().size() > 1;
}

ModelInput model_input(const Case& known) {
  ModelInput input;
  input.target = input_channel(*known.target);
  input.reference = input_channel(*known.reference);
  const pipeline::Pipeline* const reference = known.reference_pipeline;
  if (reference && reference->has_recipe()) {
    input.front_end = kinds::front_end_of(reference->recipe);
    input.kind = &kinds::kind_of(reference->recipe);
  }
  // A text recipe makes all inputs of its model.
  if (input.kind->id != kinds::InputId::kText && are_tensors(known))
    input.kind = &kinds::kind_of(kinds::InputId::kTensors);
  return input;
}

// The mapping may name a tensor that neither trace holds.
Status check_mapping(const Case& known) {
  if (known.mapping.empty()) return {};
  const auto channels_of = [](const trace::Reader& reader, const pipeline::Pipeline* model) {
    std::vector<trace::Channel> channels;
    for (const trace::ReadChannel& one : reader.channels()) channels.push_back(one.channel);
    for (std::size_t i = 0; model && i < model->graph.tensors.size(); ++i) {
      if (model->graph.tensors[i].is_constant) continue;
      channels.emplace_back();
      channels.back().spec = model->graph.tensors[i].spec;
    }
    return channels;
  };
  return compare::check_map(known.mapping, channels_of(*known.reference, known.reference_pipeline),
                            channels_of(*known.target, known.target_model));
}

// Adds the pairs that the graphs of both models show, by name.
void add_graphs(const Case& known, compare::CompareOptions& options) {
  if (!known.target_model || !known.reference_pipeline) return;
  const pipeline::Pipeline &r = *known.reference_pipeline, &t = *known.target_model;
  if (r.graph.sha256 == t.graph.sha256 || r.graph.format != t.graph.format) return;
  const auto pairs = compare::pairs_by_graph({r.graph, r.file}, {t.graph, t.file}, options.mapping);
  for (const auto& [from, to] : pairs.tensors)
    options.by_graph.emplace_back(r.graph.tensors[at(from)].spec.name,
                                  t.graph.tensors[at(to)].spec.name);
  options.graph_before_names = pairs.names_mislead;
}

}  // namespace

compare::Mapping mapping_of(const Case& known) {
  compare::Mapping names;
  for (const compare::MappedNames& pair : known.mapping)
    names.emplace_back(pair.reference, pair.target);
  return names;
}

bool has_equal_inputs(const compare::Agreement& agreement) {
  bool any = false;
  for (const compare::LayerAgreement& layer : agreement.layers) {
    if (layer.stage != trace::Stage::kModelInput) continue;
    if (!layer.distances.exact) return false;
    any = true;
  }
  return any;
}

Study study_of(const Case& known, compare::Agreement agreement) {
  Study study{known, std::move(agreement), {}, std::nullopt, {}, model_input(known)};
  for (const compare::FrameAgreement& frame : study.agreement.frames)
    if (frame.annotation) study.annotations.emplace(frame.target, *frame.annotation);
  for (std::size_t i = 0; known.raw && i < known.raw->samples.size(); ++i)
    if (known.raw->samples[i].annotation)
      study.annotations.emplace(known.raw->frames[i], *known.raw->samples[i].annotation);
  std::vector<TensorSpec> outputs;
  for (const trace::ReadChannel* channel : output_channels(*known.reference))
    outputs.push_back(channel->channel.spec);
  study.task = task::task_of(outputs);
  return study;
}

Result<Study> study(const Case& known, const Control& control) {
  Control comparing{control.stop, {}};
  if (control.progress)
    comparing.progress = [&](std::size_t done, std::size_t all, const std::string&) {
      control.progress(done, all, "frames compared");
    };
  compare::CompareOptions options;
  options.terms = known.terms;
  options.metric = known.metric;
  if (auto good = check_mapping(known); !good) return std::move(good.error()).during("--map");
  options.mapping = mapping_of(known);
  add_graphs(known, options);
  options.one_model = known.target_model && known.reference_pipeline &&
                      known.target_model->graph.sha256 == known.reference_pipeline->graph.sha256;
  const auto by_sample = annotations_of(known);
  if (!by_sample.empty())
    options.truths = [&](const trace::FrameRecord& record) {
      const auto given = by_sample.find(record.sample);
      return given != by_sample.end() ? std::optional(given->second) : task::recorded(record);
    };
  auto agreement = compare::compare_traces(*known.reference, *known.target, options, comparing);
  if (!agreement) return std::move(agreement.error()).during("comparison of the traces");
  if (agreement->interrupted) return interrupted();
  Study study = study_of(known, *std::move(agreement));
  const auto partner = partners(study);
  StateSources sources{known.states, known.raw, known.reference, &partner};
  for (const pipeline::Pipeline* side : {known.target_model, known.reference_pipeline})
    if (side)
      sources.declared.insert(sources.declared.end(), side->spec.states.begin(),
                              side->spec.states.end());
  auto states = recorded_states(*known.target, sources);
  if (!states) return std::move(states.error()).during("states of the target's trace");
  study.states = *std::move(states);
  return study;
}

std::map<std::uint32_t, std::uint32_t> partners(const Study& study) {
  std::map<std::uint32_t, std::uint32_t> partner;
  for (const compare::FrameAgreement& frame : study.agreement.frames)
    partner.emplace(frame.target, frame.reference);
  return partner;
}

}  // namespace edgeprobe::diagnose
