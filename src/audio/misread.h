// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"

namespace edgeprobe::audio {

/// The samples of a recording as an app sees them that takes their bytes for those of another
/// format; interleaved, in 16-bit units. There may be more of them, or fewer.
std::vector<float> samples_read_as(const Clip& clip, ReadAs format);

}  // namespace edgeprobe::audio
