// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "audio/clip.h"
#include "audio/front_end.h"
#include "core/result.h"

namespace edgeprobe::audio {

/// The first half of a front end: one channel at its rate, cut or padded, scaled, pre-emphasised
/// unless that is done in frames. kUsage for a recording that it cannot be made of.
Result<std::vector<double>> signal_of(const FrontEnd& front_end, const Clip& clip);

}  // namespace edgeprobe::audio
