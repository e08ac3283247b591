// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// The front end with the gain that fits best; nothing where none does.
std::optional<audio::FrontEnd> polished_gain(Problem& problem, const audio::FrontEnd& from);

/// Front ends with one number that is measured instead of listed: gain, DC (and both), edges of the
/// filter bank, pre-emphasis, floor.
std::vector<audio::FrontEnd> measured(Problem& problem, const audio::FrontEnd& from);

/// Front ends with another edge of the filter bank; `fine`: else to 25 and 250 Hz.
std::vector<audio::FrontEnd> edges(Problem& problem, const audio::FrontEnd& from, bool fine);
/// The front end with both edges measured together; none where one of them stays. It takes as much
/// work as all other numbers.
std::vector<audio::FrontEnd> both_edges(Problem& problem, const audio::FrontEnd& from);

/// Front ends whose recording begins elsewhere, is read from the middle of a ring buffer, or lacks
/// samples, by looking the recorded input up in the recording.
std::vector<audio::FrontEnd> places(Problem& problem, const audio::FrontEnd& from,
                                    const audio::Clip& clip);

}  // namespace edgeprobe::diagnose::sound
