// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Prints the cost of a frame's calls with cold caches, as after the inference of a real model: the
/// program reads other memory for 8 ms before each frame.
void time_cold_frames(const std::string& path);
