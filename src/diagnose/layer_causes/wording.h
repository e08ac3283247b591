// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace edgeprobe::diagnose {

/// Codes that are cut off, as a part of all, from which a range is too narrow.
inline constexpr double kClips = 0.1;
/// Times that a quantisation step is wider than its values need, from which it is too wide.
inline constexpr double kWide = 3;

/// Part of `all` squared that goes when a distance falls from `before` to `after`: 0 to 1.
double share_of(double before, double after, double all);

/// "layer 3", "layers 3, 5 and 12 more".
std::string layers_text(const std::vector<int>& layers);

}  // namespace edgeprobe::diagnose
