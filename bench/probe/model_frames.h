// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// Logs `count` frames of the tensors that `list` names, one per line: stage, dtype and bytes of an
/// element, shape with commas, name ("layer 4 1 1,25,5,64 relu_1"). `level` is an edgeprobe_level.
/// Logged data is written to the disk every 128 KiB or 64 frames.
void log_frames(const std::string& path, const std::string& list, int level, long count);
