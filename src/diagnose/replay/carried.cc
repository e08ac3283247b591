// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/crossed.h"

#include <algorithm>

#include "pipeline/carry.h"
#include "pipeline/states.h"

namespace edgeprobe::diagnose {
Result<std::optional<Answers>> with_states_carried(pipeline::Pipeline& model, const Study& study,
                                                   const std::vector<std::uint32_t>& frames,
                                                   const InputsOf& inputs_of,
                                                   const Control& control) {
  const std::optional<Answers> nothing;
  if (!study.states || frames.empty() || pipeline::keeps_state(model)) return nothing;
  const RecordedStates& states = *study.states;
  engine::Session& session = *model.session;
  const auto places = pipeline::state_places(states.pairs, session);
  if (!places) return nothing;
  std::vector<std::size_t> fed;
  for (const pipeline::StatePlace& place : *places) fed.push_back(place.input);
  const auto partner = partners(study);
  const state::Recording& recording = states.recording;
  const state::Past past(recording);
  const std::uint32_t last = *std::max_element(frames.begin(), frames.end());
  Answers answers;
  std::vector<Tensor> made;
  for (std::size_t step = 0; step < recording.steps() && recording.frames[step] <= last; ++step) {
    if (control.stopped()) return interrupted();
    const std::uint32_t frame = recording.frames[step];
    EP_TRY(auto inputs, recorded_inputs(*study.known.target, frame, session.inputs(), fed));
    const bool wanted = std::find(frames.begin(), frames.end(), frame) != frames.end();
    if (!inputs && wanted) return nothing;
    // The frame was recorded without its tensors, so the next step has no known predecessor.
    if (!inputs) continue;
    if (!inputs_of.all_of_target && partner.count(frame)) {
      EP_TRY(auto own,
             recorded_inputs(*study.known.reference, partner.at(frame), session.inputs(), fed));
      if (!own) return nothing;
      for (std::size_t i = 0; i < inputs->size(); ++i)
        if (std::find(fed.begin(), fed.end(), i) == fed.end() &&
            !inputs_of.of_target.count(session.inputs()[i].name))
          (*inputs)[i] = std::move((*own)[i]);
    }
    for (std::size_t i = 0; i < places->size(); ++i) {
      Tensor& input = (*inputs)[(*places)[i].input];
      if (past.is_start(step)) input = stored(input.spec, recording.states[i].initial);
      else if (!past.is_cut(step)) input.bytes = made[(*places)[i].output].bytes;
    }
    auto inference = session.infer(pipeline::views_of(*inputs));
    if (!inference)
      return std::move(inference.error()).during("replay of frame " + std::to_string(frame));
    made = std::move(inference->outputs);
    if (wanted) {
      EP_TRY(auto outputs, outputs_of(made));
      answers.frames.push_back(frame);
      answers.outputs.push_back(std::move(outputs));
    }
    if (control.progress)
      control.progress(step + 1, recording.steps(), "frames with the states fed back as meant");
  }
  if (answers.frames.size() != frames.size()) return nothing;
  return std::optional(std::move(answers));
}

}  // namespace edgeprobe::diagnose
