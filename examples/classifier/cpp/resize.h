// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "picture.h"

/// antialias: bilinear over all pixels that an output pixel merges; antialias-cubic and
/// antialias-lanczos likewise; area: their mean; bilinear, cubic, lanczos: over the 2, 4 or 6
/// nearest pixels, however much is skipped; nearest.
bool is_kernel(const std::string& name);

/// Rows first, then columns; each pass is rounded to 8 bits.
Picture resize(const Picture& picture, int height, int width, const std::string& kernel);
