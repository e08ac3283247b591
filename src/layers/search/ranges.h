// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/search/trial.h"

namespace edgeprobe::layers {

/// Layers whose ranges do not fit what flows through them, when they are many: all of them too
/// narrow or all of them too wide, with scales that fit. Nothing when they are few.
std::optional<Finding> calibration_finding(const SearchInput& input, const Search& out,
                                           double logit_nrmse);

/// Whether the worst layer of `group` does most of it alone.
bool is_of_one(const SearchInput& input, const Search& out, const std::vector<Repair>& repairs,
               const Finding& group, std::optional<Error>& failed, const Control& control);

}  // namespace edgeprobe::layers
