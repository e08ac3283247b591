// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/crossed.h"

#include <algorithm>
#include <set>

#include "pipeline/carry.h"
#include "pipeline/inputs/feed.h"
#include "pipeline/sized_engine.h"

namespace edgeprobe::diagnose {

bool has_several_sizes(const trace::Reader& reader) {
  std::set<std::string> seen;
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelInput && channel.messages > 0 &&
        !seen.insert(channel.channel.spec.name).second)
      return true;
  return false;
}

Result<std::optional<std::vector<Tensor>>> recorded_inputs(const trace::Reader& reader,
                                                           std::uint32_t frame,
                                                           const std::vector<TensorSpec>& wanted,
                                                           const std::vector<std::size_t>& states) {
  std::vector<Tensor> held;
  std::vector<TensorSpec> specs;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput || channel.messages == 0) continue;
    EP_TRY(const auto message, reader.read(frame, channel.id));
    if (!message) continue;
    held.push_back(message->copy());
    specs.push_back(held.back().spec);
  }
  const auto places = pipeline::arrays_of_inputs(specs, wanted, states);
  if (!places) return std::optional<std::vector<Tensor>>();
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_state = std::find(states.begin(), states.end(), i) != states.end();
    const auto place = (*places)[i];
    auto input = place ? pipeline::fit_array(held[*place],
                                             pipeline::sized(wanted[i], held[*place].spec.shape))
                       : Result<Tensor>(pipeline::zeros(wanted[i]));
    if (!input && !is_state) return std::optional<std::vector<Tensor>>();
    inputs.push_back(input ? *std::move(input) : pipeline::zeros(wanted[i]));
  }
  return std::optional(std::move(inputs));
}

namespace {

// Open sizes only if frames differ in size: a resized session would no longer match the recipe.
std::vector<TensorSpec> taken_by(const pipeline::Pipeline& model, const trace::Reader& reader) {
  return has_several_sizes(reader) ? model.open_inputs : model.session->inputs();
}

// Adds a frame with its outputs, or without any.
Status add(engine::Session& session, std::uint32_t frame,
           const std::optional<std::vector<Tensor>>& inputs, Answers& answers) {
  answers.frames.push_back(frame);
  answers.outputs.emplace_back();
  if (!inputs) return {};
  auto inference = session.infer(pipeline::views_of(*inputs));
  if (!inference)
    return std::move(inference.error()).during("replay of frame " + std::to_string(frame));
  EP_TRY(auto outputs, outputs_of(inference->outputs));
  answers.outputs.back() = std::move(outputs);
  return {};
}

}  // namespace

Result<Answers> on_recorded(const pipeline::Pipeline& model, const trace::Reader& reader,
                            const std::vector<std::uint32_t>& frames, const std::string& title,
                            const Control& control) {
  Answers answers;
  const std::vector<TensorSpec> wanted = taken_by(model, reader);
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(const auto inputs, recorded_inputs(reader, frame, wanted));
    EP_CHECK(add(*model.session, frame, inputs, answers));
    if (control.progress) control.progress(answers.frames.size(), frames.size(), title);
  }
  return answers;
}

Result<Answers> reference_with(const Study& study, const std::set<std::string>& of_target,
                               const std::vector<std::uint32_t>& frames, const Control& control) {
  const Case& known = study.known;
  Answers answers;
  if (!known.reference_pipeline || pipeline::keeps_state(*known.reference_pipeline)) return answers;
  engine::Session& session = *known.reference_pipeline->session;
  const std::vector<TensorSpec> wanted = taken_by(*known.reference_pipeline, *known.target);
  const auto partner = partners(study);
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    EP_TRY(auto own, recorded_inputs(*known.reference, partner.at(frame), wanted));
    EP_TRY(auto target, recorded_inputs(*known.target, frame, wanted));
    std::optional<std::vector<Tensor>> mixed;
    if (own && target) {
      mixed = *std::move(own);
      for (std::size_t i = 0; i < mixed->size(); ++i)
        if (of_target.count(wanted[i].name)) (*mixed)[i] = std::move((*target)[i]);
    }
    EP_CHECK(add(session, frame, mixed, answers));
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(),
                       "frames of the reference with inputs of the target");
  }
  return answers;
}

}  // namespace edgeprobe::diagnose
