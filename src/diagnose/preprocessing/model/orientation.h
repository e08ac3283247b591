// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose {

/// One of the eight orientations of a picture: first mirrored left-right if bit 2 is set, then
/// rotated clockwise by (value & 3) quarter turns.
using Orientation = int;
inline constexpr int kOrientations = 8;

/// Orientation equal to `first` followed by `second`.
Orientation then(Orientation first, Orientation second);
Orientation inverse(Orientation orientation);
/// True if height and width are swapped.
bool swaps_sides(Orientation orientation);

/// Recipe steps for an orientation; empty for 0.
std::vector<preprocess::Step> orientation_steps(Orientation orientation);
/// Orientation of a rotate or flip step; nothing for other steps.
std::optional<Orientation> orientation_of(const preprocess::Step& step);
/// "rotated by 90° clockwise", "mirrored left-right", "with height and width swapped", …
std::string describe_orientation(Orientation orientation);

preprocess::Image laid_as(const preprocess::Image& image, Orientation orientation);
preprocess::Raster laid_as(const preprocess::Raster& raster, Orientation orientation);

}  // namespace edgeprobe::diagnose
