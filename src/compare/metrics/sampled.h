// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// Values of one frame at up to 4096 scattered places of each tensor, read once: enough to match
/// tensors when thousands of pairs are queried. Both readers must outlive it.
class SampledFrame {
 public:
  SampledFrame(const trace::Reader& reference, std::uint32_t reference_frame,
               const trace::Reader& target, std::uint32_t target_frame)
      : sides_{&reference, &target}, frames_{reference_frame, target_frame} {}

  /// Pearson's correlation at the sampled places, with the target in the reference's layout by
  /// `permutation` (empty: same order in memory). Nothing if a side has no values, is constant, or
  /// has another number of elements.
  std::optional<double> correlation(const trace::ReadChannel& reference,
                                    const trace::ReadChannel& target,
                                    const std::vector<int>& permutation);

 private:
  struct Values {
    std::vector<float> values;
    std::size_t elements = 0;  ///< Number of elements of the whole tensor; 0 if it cannot be read.
  };
  const Values& values(std::size_t side, const trace::ReadChannel& channel,
                       const std::vector<int>& permutation);

  const trace::Reader* sides_[2];
  std::uint32_t frames_[2];
  std::map<std::tuple<std::size_t, trace::ChannelId, std::vector<int>>, Values> known_;
};

}  // namespace edgeprobe::compare
