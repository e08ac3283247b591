// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "layers/search/trial.h"

namespace edgeprobe::layers {

/// Copies the measurements of a single layer.
void add_local(const Local& local, Figures& figures);

/// Measures local errors of all pairs, and the single-layer effect of suspicious ones.
Status measure_layers(const SearchInput& input, Search& out, const Control& control);

/// Share of each pair in the squared logit NRMSE of `state`, in the reference's order. For
/// quantised models, where all layers drift, measures each of them; for real numbers only those
/// whose error grows, and 0 elsewhere: layers that pass an error on contribute nothing. Reports
/// failures in `found`.
Result<std::vector<std::optional<double>>> measure_shares(const SearchInput& input, Search& found,
                                                          const Values& target,
                                                          const RepairedState& state,
                                                          const Control& control);

}  // namespace edgeprobe::layers
