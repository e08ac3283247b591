// SPDX-License-Identifier: Apache-2.0
#include "contract/check.h"

#include <iterator>

#include "contract/line/line.h"
#include "contract/parts/parts.h"

namespace edgeprobe::contract {
namespace {

// An app's first frames are not representative: it warms up, and sees a single scene.
void leave_for_later(Finding& finding) {
  finding.state = State::kNotYet;
  finding.why = "it is a figure of all frames";
  finding.cure = "check the whole trace once the app has ended";
}

}  // namespace

Report check(const Contract& contract, const Evidence& evidence) {
  Report report;
  const auto add = [&](std::vector<Finding> found) {
    report.findings.insert(report.findings.end(), std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
  };
  if (!contract.recipe.empty()) add(check_recipe(contract, evidence));
  add(check_inputs(contract, evidence));
  add(check_states(contract, evidence));
  if (contract.repeats) add({check_repeats(*contract.repeats, contract.states, evidence)});
  add(check_stages(contract, evidence));
  add(check_outputs(contract, evidence));
  if (contract.answers) add(check_answers(*contract.answers, evidence));
  if (contract.latency) add(check_latency(*contract.latency, evidence));
  if (contract.memory) add(check_memory(*contract.memory, evidence));
  if (contract.drift) add(check_drift(*contract.drift, evidence));
  add(check_own(evidence));
  for (std::size_t i = 0; i < contract.assertions.size(); ++i)
    add({check_line(contract.assertions[i], "assertions[" + std::to_string(i) + "]", evidence)});
  if (!evidence.subject.goes_on) return report;
  report.first_frames = evidence.figures.records.size();
  for (Finding& one : report.findings)
    if (one.of_all_frames) leave_for_later(one);
  return report;
}

std::vector<pipeline::CarriedState> states_of(const Contract& contract) {
  std::vector<pipeline::CarriedState> states;
  for (const std::string& pair : contract.states) {
    const std::size_t equal = pair.find('=');
    states.push_back({pair.substr(0, equal), pair.substr(equal + 1)});
  }
  return states;
}

bool needs_layers(const Contract& contract) {
  for (const std::string& text : contract.assertions)
    if (const auto line = parse_line(text))
      for (const Name& name : line->names)
        if (name.words.size() > 1 && name.words[1] == "layer") return true;
  return false;
}

}  // namespace edgeprobe::contract
