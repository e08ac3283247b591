// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/sound/problem.h"

namespace edgeprobe::diagnose::sound {

/// The front end with the gain that fits best; nothing where none does.
std::optional<audio::FrontEnd> polished_gain(Problem& problem, const audio::FrontEnd& from);

/// Front ends with one number that is measured instead of listed: gain, DC, edges of the filter
/// bank, pre-emphasis, floor, and where the recording begins.
std::vector<audio::FrontEnd> measured(Problem& problem, const audio::FrontEnd& from,
                                      const audio::Clip& clip);

}  // namespace edgeprobe::diagnose::sound
