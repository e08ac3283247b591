// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// Index of the output that an input copies in most steps, with changing values; used if states are
/// not declared. Nothing if there is none, or two.
std::optional<std::size_t> output_of(const Recording& recording, const Series& fed);

/// The value at beginnings of sequences: the most frequent one; among equals `zero`, else the
/// first. `zero` if nothing was recorded.
Values initial_of(const Recording& recording, const Series& fed, const Values& zero);

}  // namespace edgeprobe::diagnose::state
