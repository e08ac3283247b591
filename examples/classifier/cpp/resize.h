// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "picture.h"

/// antialias, antialias-cubic and antialias-lanczos use all input pixels of an output pixel; area
/// is their mean. bilinear, cubic and lanczos use only the 2, 4 or 6 nearest pixels of each axis,
/// and nearest one.
bool is_kernel(const std::string& name);

/// Rows first, then columns; each pass is rounded to 8 bits.
Picture resize(const Picture& picture, int height, int width, const std::string& kernel);
