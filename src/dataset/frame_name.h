// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/result.h"
#include "preprocess/picture/yuv.h"

namespace edgeprobe::dataset {

/// True if a file is a camera frame by its extension: .nv12, .nv21, .i420, .yv12, or .yuv (I420),
/// in upper or lower case.
bool is_frame_name(std::string_view file_name);

/// Parses a camera frame's description from its file name, as is common for YUV tools: words
/// separated by '_'. WIDTHxHEIGHT is required; known words are: stride704, uvstride704, bt601,
/// bt709, limited, full, rot90, rot180, rot270, mirrored. Other words form the picture's name:
/// "cat_640x480_stride704_bt709.nv12". kUsage if the size is missing or invalid, or if two words
/// contradict each other.
Result<preprocess::YuvFrame> frame_from_name(std::string_view file_name);

}  // namespace edgeprobe::dataset
