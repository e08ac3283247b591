// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose {

/// One of the eight ways to lay a picture: mirrored left-right first when bit 2 is set, then turned
/// clockwise by (value & 3) quarter turns.
using Orientation = int;
inline constexpr int kOrientations = 8;

/// The orientation that does `first`, then `second`.
Orientation then(Orientation first, Orientation second);
Orientation inverse(Orientation orientation);
/// True when height and width change places.
bool swaps_sides(Orientation orientation);

/// The recipe steps that do it; none for 0.
std::vector<preprocess::Step> orientation_steps(Orientation orientation);
/// What a rotate or flip step does; nothing for other steps.
std::optional<Orientation> orientation_of(const preprocess::Step& step);
/// "rotated by 90° clockwise", "mirrored left-right", "with height and width swapped", …
std::string describe_orientation(Orientation orientation);

preprocess::Image laid_as(const preprocess::Image& image, Orientation orientation);
preprocess::Raster laid_as(const preprocess::Raster& raster, Orientation orientation);

}  // namespace edgeprobe::diagnose
