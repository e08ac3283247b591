// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/search/trial.h"

namespace edgeprobe::layers {

/// Copies what was measured of a layer by itself.
void add_local(const Local& local, Figures& figures);

/// Local errors of all pairs, and what the suspicious ones do alone.
Status measure_layers(const SearchInput& input, Search& out, const Control& control);

/// Share of each pair in the squared logit NRMSE of `state`, in the reference's order. Where all
/// layers drift each of them is measured; real numbers only where the error grows, and 0 elsewhere:
/// what hands an error on has no part. Says in `found` why one could not be measured.
Result<std::vector<std::optional<double>>> measure_shares(const SearchInput& input, Search& found,
                                                          const Values& target,
                                                          const RepairedState& state,
                                                          const Control& control);

}  // namespace edgeprobe::layers
