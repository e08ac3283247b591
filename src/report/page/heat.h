// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "preprocess/decode/image.h"

namespace edgeprobe::report {

/// The colour for a level from 0 (black) to 255 (nearly white), with rising lightness: the order
/// survives printing without colours.
std::array<std::uint8_t, 3> heat_color(std::uint8_t level);

/// Levels in row order as a picture.
preprocess::Image heat_picture(int height, int width, const std::vector<std::uint8_t>& levels);

/// "0 [all colours from dark to light] `most`", for a caption; escapes `most`.
std::string heat_scale(const std::string& most);

}  // namespace edgeprobe::report
