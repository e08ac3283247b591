// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/carried.h"

#include <algorithm>

#include "pipeline/carry.h"
#include "pipeline/inputs/feed.h"
#include "pipeline/states.h"

namespace edgeprobe::diagnose {
namespace {

using Places = std::vector<pipeline::StatePlace>;

bool is_state(const Places& places, std::size_t input) {
  return std::any_of(places.begin(), places.end(),
                     [&](const pipeline::StatePlace& place) { return place.input == input; });
}

// The recorded inputs of one frame, its states with them where they fit: those may be NaN.
Result<std::optional<std::vector<Tensor>>> inputs_in(const trace::Reader& reader,
                                                     std::uint32_t frame,
                                                     const std::vector<TensorSpec>& wanted,
                                                     const Places& states) {
  std::vector<Tensor> held;
  std::vector<TensorSpec> specs;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelInput || channel.messages == 0) continue;
    const auto message = reader.read(frame, channel.id);
    if (!message) return message.error();
    if (!*message) continue;
    held.push_back((*message)->copy());
    specs.push_back(held.back().spec);
  }
  std::vector<std::size_t> optional;
  for (const pipeline::StatePlace& place : states) optional.push_back(place.input);
  const auto places = pipeline::arrays_of_inputs(specs, wanted, optional);
  if (!places) return std::optional<std::vector<Tensor>>();
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto input = (*places)[i] ? pipeline::fit_array(held[*(*places)[i]], wanted[i])
                              : Result<Tensor>(pipeline::zeros(wanted[i]));
    if (!input && !is_state(states, i)) return std::optional<std::vector<Tensor>>();
    inputs.push_back(input ? *std::move(input) : pipeline::zeros(wanted[i]));
  }
  return std::optional(std::move(inputs));
}

}  // namespace

Result<std::optional<Answers>> with_states_carried(pipeline::Pipeline& model, const Study& study,
                                                   const std::vector<std::uint32_t>& frames,
                                                   bool reference_inputs, const Control& control) {
  const std::optional<Answers> nothing;
  if (!study.states || frames.empty() || pipeline::keeps_state(model)) return nothing;
  const RecordedStates& states = *study.states;
  engine::Session& session = *model.session;
  const auto places = pipeline::state_places(states.pairs, session);
  if (!places) return nothing;
  const auto partner = partners(study);
  const state::Recording& recording = states.recording;
  const state::Past past(recording);
  const std::uint32_t last = *std::max_element(frames.begin(), frames.end());
  Answers answers;
  std::vector<Tensor> made;
  for (std::size_t step = 0; step < recording.steps() && recording.frames[step] <= last; ++step) {
    if (control.stopped()) return interrupted();
    const std::uint32_t frame = recording.frames[step];
    auto inputs = inputs_in(*study.known.target, frame, session.inputs(), *places);
    if (!inputs) return std::move(inputs.error());
    const bool wanted = std::find(frames.begin(), frames.end(), frame) != frames.end();
    if (!*inputs && wanted) return nothing;
    if (!*inputs) continue;  // Recorded without its tensors: the next step is cut off from it.
    if (reference_inputs && partner.count(frame)) {
      auto own = inputs_in(*study.known.reference, partner.at(frame), session.inputs(), *places);
      if (!own) return std::move(own.error());
      if (!*own) return nothing;
      for (std::size_t i = 0; i < (*inputs)->size(); ++i)
        if (!is_state(*places, i)) (**inputs)[i] = std::move((**own)[i]);
    }
    for (std::size_t i = 0; i < places->size(); ++i) {
      Tensor& input = (**inputs)[(*places)[i].input];
      if (past.is_start(step)) input = stored(input.spec, recording.states[i].initial);
      else if (!past.is_cut(step)) input.bytes = made[(*places)[i].output].bytes;
    }
    auto inference = session.infer(pipeline::views_of(**inputs));
    if (!inference)
      return std::move(inference.error()).during("replay of frame " + std::to_string(frame));
    made = std::move(inference->outputs);
    if (wanted) {
      auto outputs = outputs_of(made);
      if (!outputs) return std::move(outputs.error());
      answers.frames.push_back(frame);
      answers.outputs.push_back(*std::move(outputs));
    }
    if (control.progress)
      control.progress(step + 1, recording.steps(), "frames with the states fed back as meant");
  }
  if (answers.frames.size() != frames.size()) return nothing;
  return std::optional(std::move(answers));
}

}  // namespace edgeprobe::diagnose
