// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// The front end with the best fitting gain; nothing if none fits.
std::optional<audio::FrontEnd> polished_gain(Problem& problem, const audio::FrontEnd& from);

/// Front ends with one value estimated from the recording instead of taken from a list: gain, DC
/// (and both), edges of the filter bank, pre-emphasis, floor.
std::vector<audio::FrontEnd> measured(Problem& problem, const audio::FrontEnd& from);

/// Front ends with another edge of the filter bank; to 25 and 250 Hz unless `fine`.
std::vector<audio::FrontEnd> edges(Problem& problem, const audio::FrontEnd& from, bool fine);
/// The front end with both edges measured together; empty if one of them is unchanged. Takes as
/// much work as all other values.
std::vector<audio::FrontEnd> both_edges(Problem& problem, const audio::FrontEnd& from);

/// Front ends whose recording begins elsewhere, is read from the middle of a ring buffer, or lacks
/// samples. Looks up the recorded input in the recording.
std::vector<audio::FrontEnd> places(Problem& problem, const audio::FrontEnd& from,
                                    const audio::Clip& clip);

}  // namespace edgeprobe::diagnose::sound
