// SPDX-License-Identifier: Apache-2.0
#include "contract/finding.h"

#include <algorithm>

namespace edgeprobe::contract {

const char* name(State state) {
  switch (state) {
    case State::kPasses: return "passes";
    case State::kFails: return "fails";
    case State::kNotYet: return "not yet";
    case State::kCannotTell: break;
  }
  return "cannot tell";
}

std::size_t Report::count(State wanted) const {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [&](const Finding& one) { return one.state == wanted; }));
}

std::size_t Report::times_not_told() const {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(),
      [](const Finding& one) { return one.state == State::kCannotTell && one.of_time; }));
}

State Report::state() const {
  if (count(State::kFails) > 0) return State::kFails;
  return count(State::kPasses) == 0 || count(State::kCannotTell) > times_not_told()
             ? State::kCannotTell
             : State::kPasses;
}

}  // namespace edgeprobe::contract
