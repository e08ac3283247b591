// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"

namespace edgeprobe::diagnose {

/// What a channel stores for each pixel value: the median over all its pixels.
struct ChannelTable {
  std::array<float, 256> value{};
  std::array<std::uint32_t, 256> count{};  ///< 0: that pixel value was never seen.
};

/// Stored values as a function of the pixel value, whatever the function.
struct ValueTable {
  std::vector<ChannelTable> channels;  ///< One a target channel.
  std::vector<int> source;             ///< The picture's channel that each one shows.
  double residual = 0;  ///< RMS about the table in 255ths of its reach, without the outliers.
  /// Share of pixels more than 3 of these off: a resize that rounds otherwise, beside a error gain.
  double outliers = 0;
  double line_rho = 0;  ///< What the best line a channel leaves, in the same unit.
};

/// A table on the geometry of the reference, or of the nearest explanation: the pixels are the same
/// everywhere, so that a value that repeats for each pixel value is a function of it. Nothing when
/// too few pixels bear each entry, or a line does as well.
std::optional<Beyond> explain_by_table(std::vector<Frame>& frames, const Consensus& nearest,
                                       const Reference& reference, const Hypothesis& own);

/// The curve that a table follows, in words: signed bytes, 8-bit arithmetic that wraps round,
/// values cut off, few levels. `pixels` is the table in the pixels for which the reference stores
/// these values.
struct TableName {
  std::string detail;
  bool known = false;
};
TableName name_table(const std::vector<ChannelTable>& pixels);

}  // namespace edgeprobe::diagnose
