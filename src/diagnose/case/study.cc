// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/study.h"

#include "compare/compare_traces.h"
#include "diagnose/case/counterfactual.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "task/recorded.h"

namespace edgeprobe::diagnose {

namespace {

// What data says of samples that have a name: longer annotations than a trace keeps, too.
std::map<std::string, task::Annotation> annotations_of(const Case& known) {
  std::map<std::string, task::Annotation> by_sample;
  for (std::size_t i = 0; known.raw && i < known.raw->samples.size(); ++i)
    if (const dataset::Sample& sample = known.raw->samples[i];
        sample.annotation && !sample.name.empty())
      by_sample.emplace(sample.name, *sample.annotation);
  return by_sample;
}

// Whether a tensor may be a picture: it has three channels, or one whose codes have the range of
// pixels.
bool may_be_picture(const TensorSpec& spec) {
  Shape shape = spec.shape;
  if (shape.size() == 4) shape.erase(shape.begin());
  if (shape.size() != 3) return false;
  const bool has_colors = shape[0] == 3 || shape[2] == 3;
  return has_colors || spec.dtype == DType::kUInt8 || preprocess::stated_range(spec);
}

// Neither a raw input nor a recipe that somebody gave says of what the recorded inputs were made.
bool are_all_that_is_known(const Case& known) {
  if (known.raw && !known.raw->samples.empty()) return false;
  if (known.reference_pipeline && known.reference_pipeline->has_recipe() && !known.guessed_recipe)
    return false;
  const trace::ReadChannel* const input = input_channel(*known.reference);
  return input && !may_be_picture(input->channel.spec);
}

// Recorded tensors feed the deployment, or several inputs do: there is no one input that a recipe
// makes.
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
  // A recipe of text makes all inputs of its model.
  if (input.kind->id != kinds::InputId::kText && are_tensors(known))
    input.kind = &kinds::kind_of(kinds::InputId::kTensors);
  return input;
}

}  // namespace

Result<Study> study(const Case& known, const Control& control) {
  Control comparing{control.stop, {}};
  if (control.progress)
    comparing.progress = [&](std::size_t done, std::size_t all, const std::string&) {
      control.progress(done, all, "frames compared");
    };
  compare::CompareOptions options;
  options.terms = known.terms;
  const auto by_sample = annotations_of(known);
  if (!by_sample.empty())
    options.truths = [&](const trace::FrameRecord& record) {
      const auto given = by_sample.find(record.sample);
      return given != by_sample.end() ? std::optional(given->second) : task::recorded(record);
    };
  auto agreement = compare::compare_traces(*known.reference, *known.target, options, comparing);
  if (!agreement) return std::move(agreement.error()).during("comparison of the traces");
  if (agreement->interrupted) return interrupted();
  Study study{known, *std::move(agreement), {}, std::nullopt, {}, model_input(known)};
  for (const compare::FrameAgreement& frame : study.agreement.frames)
    if (frame.annotation) study.annotations.emplace(frame.target, *frame.annotation);
  for (std::size_t i = 0; known.raw && i < known.raw->samples.size(); ++i)
    if (known.raw->samples[i].annotation)
      study.annotations.emplace(known.raw->frames[i], *known.raw->samples[i].annotation);
  std::vector<TensorSpec> outputs;
  for (const trace::ReadChannel* channel : output_channels(*known.reference))
    outputs.push_back(channel->channel.spec);
  study.task = task::task_of(outputs);
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
