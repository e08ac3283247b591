// SPDX-License-Identifier: Apache-2.0
#include "contract/check.h"

#include <iterator>

#include "contract/line/line.h"
#include "contract/parts/parts.h"

namespace edgeprobe::contract {

Report check(const Contract& contract, const Evidence& evidence) {
  Report report;
  const auto add = [&](std::vector<Finding> found) {
    report.findings.insert(report.findings.end(), std::make_move_iterator(found.begin()),
                           std::make_move_iterator(found.end()));
  };
  if (!contract.recipe.empty()) add(check_recipe(contract, evidence));
  add(check_inputs(contract, evidence));
  add(check_states(contract, evidence));
  add(check_stages(contract, evidence));
  add(check_outputs(contract, evidence));
  if (contract.answers) add(check_answers(*contract.answers, evidence));
  if (contract.latency) add(check_latency(*contract.latency, evidence));
  if (contract.memory) add(check_memory(*contract.memory, evidence));
  if (contract.drift) add(check_drift(*contract.drift, evidence));
  add(check_own(evidence));
  for (std::size_t i = 0; i < contract.assertions.size(); ++i)
    add({check_line(contract.assertions[i], "assertions[" + std::to_string(i) + "]", evidence)});
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
