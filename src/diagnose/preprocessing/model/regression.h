// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose {

/// Sums for the least-squares fit of up to three target channels on up to seven columns and a
/// constant. Can be merged over frames; doubles keep the digits of targets at any scale.
struct Sums {
  static constexpr int kMost = 8;
  int columns = 0;  ///< Excludes the constant, which is the last one.
  int channels = 0;
  double count = 0;  ///< Number of pixels.
  std::array<std::array<double, kMost>, kMost> xx{};
  std::array<std::array<double, 3>, kMost> xt{};
  std::array<double, 3> tt{}, t{};
  /// Sum of squares about the mean over the pixels outside the picture, all channels.
  double bars = 0;
  double bar_count = 0;  ///< Number of values outside the picture.
};

/// Adds pixels: x [count, columns] and t [count, channels], row-major. Drops those with 0 in
/// `keep`, unless it is null. With `squares`, the columns are x and x²/255.
void add(Sums& sums, const float* x, int x_channels, bool squares, const float* t, int t_channels,
         const std::uint8_t* keep, std::size_t count);
void add(Sums& sums, const Sums& other);

/// Line for one target channel: coefficients of the columns used, the constant last.
struct Line {
  std::vector<double> coefficients;
  double rss = 0;  ///< Residual sum of squares.
};

/// The unconstrained fit of target channel `channel`.
Line fit(const Sums& sums, int channel);
/// Fit of target channel `channel` on one mixture of the first columns: t = a (weights · x) + b.
Line fit(const Sums& sums, int channel, const std::array<double, 3>& weights);

/// Fit of all target channels on all columns.
struct Fit {
  std::vector<Line> lines;  ///< One per channel.
  double response = 0;      ///< Mean over channels of |change per gray step|.
  double residual = 0;      ///< RMS residual in gray steps, bars included.
  double r2 = 0;            ///< Fraction of the target's variance explained.
};
Fit fit(const Sums& sums);

/// Residual in gray steps of separately fitted lines.
double residual_of(const Sums& sums, const std::vector<Line>& lines, double response);

/// Weights of R, G, B in each target channel.
struct Mixing {
  std::string name;                         ///< "RGB", "BGR", …, "gray".
  std::vector<std::array<double, 3>> rows;  ///< One per target channel.
  std::vector<double> shift = {};           ///< Added to each channel; empty: 0.
  /// Another colour space: neither a channel order nor gray.
  bool matrix = false;
  bool rounded = false;                                ///< The sums are rounded to 8-bit pixels.
  std::optional<preprocess::ChannelOrder> order = {};  ///< Set if this is a channel order.
  bool gray_step = false;  ///< Equals the recipe step gray() without weights.
  /// Every row selects the same channel of the picture.
  bool one_channel = false;
  double shift_of(std::size_t channel) const { return shift.empty() ? 0 : shift[channel]; }
  bool operator==(const Mixing& other) const { return rows == other.rows && shift == other.shift; }
};

}  // namespace edgeprobe::diagnose
