// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/case/recorded_states.h"
#include "diagnose/state/findings.h"

namespace edgeprobe::diagnose {

/// Describes a finding with its first frame: "state 'h' comes 2 steps late, in every step; first at
/// frame 1".
std::string told(const RecordedStates& states, const state::Finding& finding, std::size_t judged);
/// Name of an alternative change: "the input of the step before is fed again".
std::string other_name(const RecordedStates& states, const state::Change& change);
/// "h, c"
std::string names_of(const RecordedStates& states, const state::Finding& finding);

}  // namespace edgeprobe::diagnose
