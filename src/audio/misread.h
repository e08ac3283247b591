// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"

namespace edgeprobe::audio {

/// The samples that an app gets if it misreads the clip's bytes as `format`; interleaved, in 16-bit
/// units. Their number may differ from the clip's.
std::vector<float> samples_read_as(const Clip& clip, ReadAs format);

}  // namespace edgeprobe::audio
