// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "trace/read/reader.h"

namespace edgeprobe::layers {

/// True if the trace holds this tensor of the frame, also if it is unreadable: that is reported
/// where the values are needed.
bool holds(const trace::Reader& reader, std::uint32_t frame, const trace::ReadChannel& channel);

/// Numbers of the frames that hold a layer, ascending. A recording may have the layers of some
/// frames only.
std::vector<std::uint32_t> frames_with_layers(const trace::Reader& reader);

}  // namespace edgeprobe::layers
