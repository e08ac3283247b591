// SPDX-License-Identifier: Apache-2.0
#include "contract/parts/parts.h"
#include "core/text.h"
#include "diagnose/case/state_words.h"

namespace edgeprobe::contract {
namespace {

bool holds(const diagnose::RecordedStates& recorded, const std::string& pair) {
  for (const pipeline::CarriedState& state : recorded.pairs)
    if (state.output + "=" + state.input == pair) return true;
  return false;
}

}  // namespace

std::vector<Finding> check_states(const Contract& contract, const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const std::string& pair : contract.states) {
    Finding finding = passing("states." + pair);
    finding.bound = "each step is fed with the output of the step before";
    const StateEvidence* const states = evidence.states ? &*evidence.states : nullptr;
    if (!states || !holds(states->recorded, pair) || states->findings.judged == 0) {
      finding.state = State::kCannotTell;
      finding.why = states && holds(states->recorded, pair)
                        ? "no two steps follow each other in the recording"
                        : "the trace does not contain this output and this input";
      finding.cure = "record the model's inputs and outputs in every frame (--level io)";
      findings.push_back(std::move(finding));
      continue;
    }
    const auto& recording = states->recorded.recording;
    finding.frames = states->findings.judged;
    for (const diagnose::state::Finding& found : states->findings.found)
      for (const std::size_t index : found.states) {
        const auto& state = recording.states[index];
        if (recording.outputs[state.output].name + "=" + state.input != pair) continue;
        finding.failing += found.steps.size();
        if (finding.state == State::kFails) continue;
        finding.state = State::kFails;
        set_frame(finding, recording.frames[found.steps.front()], evidence.figures);
        finding.why = diagnose::told(states->recorded, found, states->findings.judged);
        finding.cure =
            "feed the state back as the model gave it, and set it back where a sequence begins";
      }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace edgeprobe::contract
