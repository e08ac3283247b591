// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "compare/outputs/agreement.h"
#include "trace/channel.h"

namespace edgeprobe::compare {

struct Join {
  JoinedBy how = JoinedBy::kNothing;
  std::vector<std::pair<std::size_t, std::size_t>> frames;  ///< Indices into the two lists.
  std::vector<std::string> problems;
};

/// Pairs the frames of two traces: by sample name and hash if both name samples, by hash if only
/// one does, else by frame number. Repeated samples pair in order.
Join join_frames(const std::vector<trace::FrameRecord>& reference,
                 const std::vector<trace::FrameRecord>& target, bool by_frame_number);

}  // namespace edgeprobe::compare
