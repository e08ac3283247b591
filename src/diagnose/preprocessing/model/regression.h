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
/// constant. Mergeable over frames; in double, so that targets of any scale keep their digits.
struct Sums {
  static constexpr int kMost = 8;
  int columns = 0;  ///< Without the constant, which is the last one.
  int channels = 0;
  double count = 0;  ///< Pixels.
  std::array<std::array<double, kMost>, kMost> xx{};
  std::array<std::array<double, 3>, kMost> xt{};
  std::array<double, 3> tt{}, t{};
  /// Squares about the mean of the pixels outside the picture, all channels.
  double bars = 0;
  double bar_count = 0;  ///< Values there.
};

/// Adds pixels: x [count, columns] and t [count, channels], row-major. `keep` (or null) drops those
/// with 0. With `squares` the columns are x and x²/255.
void add(Sums& sums, const float* x, int x_channels, bool squares, const float* t, int t_channels,
         const std::uint8_t* keep, std::size_t count);
void add(Sums& sums, const Sums& other);

/// One target channel as a line: coefficients for the columns used, the constant last.
struct Line {
  std::vector<double> coefficients;
  double rss = 0;  ///< Residual sum of squares.
};

/// The unconstrained fit of target channel `channel`.
Line fit(const Sums& sums, int channel);
/// The fit of target channel `channel` on one mixture of the first columns: t = a (weights · x) +
/// b.
Line fit(const Sums& sums, int channel, const std::array<double, 3>& weights);

/// A whole target on all columns.
struct Fit {
  std::vector<Line> lines;  ///< One a channel.
  double response = 0;      ///< Mean over channels of |answer to one gray step|.
  double residual = 0;      ///< RMS residual in gray steps, bars included.
  double r2 = 0;            ///< Share of the target's variance explained.
};
Fit fit(const Sums& sums);

/// Residual in gray steps of lines that were fitted one by one.
double residual_of(const Sums& sums, const std::vector<Line>& lines, double response);

/// Which mixture of R, G, B each target channel is.
struct Mixing {
  std::string name;                         ///< "RGB", "BGR", …, "gray".
  std::vector<std::array<double, 3>> rows;  ///< One a target channel.
  std::vector<double> shift = {};           ///< Added to each channel; empty: nothing.
  /// Colours of another kind: no order of channels and no gray.
  bool matrix = false;
  bool rounded = false;                                ///< The sums are 8-bit pixels.
  std::optional<preprocess::ChannelOrder> order = {};  ///< Of an order of channels: that one.
  bool gray_step = false;  ///< The recipe step gray() without weights says it.
  /// Every row is one and the same channel of the picture.
  bool one_channel = false;
  double shift_of(std::size_t channel) const { return shift.empty() ? 0 : shift[channel]; }
  bool operator==(const Mixing& other) const { return rows == other.rows && shift == other.shift; }
};

}  // namespace edgeprobe::diagnose
