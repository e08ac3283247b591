// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// The output that an input is a copy of in most steps, its values changing: where nobody says
/// which outputs are states. Nothing when none is, or two are.
std::optional<std::size_t> output_of(const Recording& recording, const Series& fed);

/// The value at the beginnings of sequences: the one that most of them have, `zero` before others
/// that as many have, else the first one. `zero` where nothing is recorded.
Values initial_of(const Recording& recording, const Series& fed, const Values& zero);

}  // namespace edgeprobe::diagnose::state
