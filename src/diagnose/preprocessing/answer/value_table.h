// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/preprocessing/answer/beyond.h"

namespace edgeprobe::diagnose {

/// A channel's stored value for each pixel value: the median over its pixels.
struct ChannelTable {
  std::array<float, 256> value{};
  std::array<std::uint32_t, 256> count{};  ///< 0: this pixel value does not occur.
};

/// Stored values as any function of the pixel value.
struct ValueTable {
  std::vector<ChannelTable> channels;  ///< One per target channel.
  std::vector<int> source;             ///< The picture channel that each one shows.
  double residual = 0;  ///< RMS around the table in 255ths of its range, without outliers.
  /// Fraction of pixels more than 3 of these off: next to a jump, where a resize rounds
  /// differently.
  double outliers = 0;
  double line_rho = 0;  ///< Residual of the best line per channel, in the same unit.
};

/// A table for the geometry of the reference, or of the nearest explanation. If the geometry is
/// right, each pixel value always gives the same stored value. Nothing if too few pixels support
/// each entry, or a line fits as well.
std::optional<Beyond> explain_by_table(std::vector<Frame>& frames, const Consensus& nearest,
                                       const Reference& reference, const Hypothesis& own);

/// Describes the table's curve: signed bytes, 8-bit arithmetic that wraps round, clipped values,
/// few levels. `pixels` is the table in units of the pixels for which the reference stores these
/// values.
struct TableName {
  std::string detail;
  bool known = false;
};
TableName name_table(const std::vector<ChannelTable>& pixels);

}  // namespace edgeprobe::diagnose
