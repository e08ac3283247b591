// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/search/trial.h"

namespace edgeprobe::layers {

/// The attributes that the two files give other values: a fact, of which only is asked whether it
/// matters. The fewest that restore almost what all of them do; nothing when they do not restore
/// enough. `state` and `failed` as in try_repair().
std::optional<Finding> options_finding(const SearchInput& input,
                                       const std::vector<OtherOption>& others,
                                       const std::vector<Repair>& repairs, const RepairedState& now,
                                       std::optional<RepairedState>& state,
                                       std::optional<Error>& failed, const Control& control);

}  // namespace edgeprobe::layers
