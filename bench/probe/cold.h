// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Prints what the calls of a frame cost after an inference of a real model has taken all caches: 8
/// ms of reading other memory.
void time_cold_frames(const std::string& path);
