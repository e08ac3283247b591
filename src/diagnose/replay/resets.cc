// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/crossed.h"

#include "pipeline/carry.h"

namespace edgeprobe::diagnose {

Result<std::optional<Answers>> with_resets(pipeline::Pipeline& model, const Study& study,
                                           const std::vector<std::uint32_t>& frames,
                                           const std::set<std::uint32_t>& resets,
                                           const Control& control) {
  Answers answers;
  for (const std::uint32_t frame : frames) {
    if (control.stopped()) return interrupted();
    if (answers.frames.empty() || resets.count(frame)) EP_CHECK(pipeline::restart(model));
    EP_TRY(const auto inputs, recorded_inputs(*study.known.target, frame, model.session->inputs()));
    if (!inputs) return std::optional<Answers>();
    auto inference = model.session->infer(pipeline::views_of(*inputs));
    if (!inference)
      return std::move(inference.error()).during("replay of frame " + std::to_string(frame));
    EP_TRY(auto outputs, outputs_of(inference->outputs));
    answers.frames.push_back(frame);
    answers.outputs.push_back(std::move(outputs));
    if (control.progress)
      control.progress(answers.frames.size(), frames.size(), "frames with other resets");
  }
  EP_CHECK(pipeline::restart(model));
  return std::optional(std::move(answers));
}

}  // namespace edgeprobe::diagnose
