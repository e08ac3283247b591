// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/result.h"
#include "preprocess/picture/yuv.h"

namespace edgeprobe::dataset {

/// Whether a file is a camera frame by its ending: .nv12, .nv21, .i420, .yv12, or .yuv (I420), in
/// either case of letters.
bool is_frame_name(std::string_view file_name);

/// The description of a camera frame, which its file's name gives as YUV tools do: words between
/// '_', of which WIDTHxHEIGHT is needed and these are known: stride704, uvstride704, bt601, bt709,
/// limited, full, rot90, rot180, rot270, mirrored. Other words are the picture's name:
/// "cat_640x480_stride704_bt709.nv12". kUsage when the size is missing, or two words contradict
/// each other or name a size that no frame has.
Result<preprocess::YuvFrame> frame_from_name(std::string_view file_name);

}  // namespace edgeprobe::dataset
