// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/matrices.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

using Row = std::array<double, 3>;

/// Largest residual of an exact fit in gray steps: each channel was rounded once more.
constexpr double kLeft = 0.6;
constexpr double kVisible = 2.2;     ///< Smallest residual of a usual mixture that counts as
                                     ///< visibly wrong,
constexpr double kTimes = 3;         ///< and its smallest ratio to the free fit's residual.
constexpr double kSameScale = 0.02;  ///< Relative tolerance for one common gain of all channels.

struct Luma {
  double red, green, blue;
};
constexpr Luma k601 = {0.299, 0.587, 0.114}, k709 = {0.2126, 0.7152, 0.0722},
               k2020 = {0.2627, 0.678, 0.0593};

Row luma(const Luma& l) { return {l.red, l.green, l.blue}; }
/// (channel - Y) * factor.
Row less_luma(const Luma& l, std::size_t channel, double factor) {
  Row row = {-factor * l.red, -factor * l.green, -factor * l.blue};
  row[channel] += factor;
  return row;
}

/// Y and two colour differences around 128.
Mixing differences(std::string name, const Luma& l, std::size_t first, double first_factor,
                   std::size_t second, double second_factor) {
  return {std::move(name),
          {luma(l), less_luma(l, first, first_factor), less_luma(l, second, second_factor)},
          {0, 128, 128},
          true,
          true};
}

/// The same in video levels: luma 16..235, colour differences 16..240.
Mixing video(std::string name, const Luma& l) {
  Mixing m = differences(std::move(name), l, 2, 0.5 / (1 - l.blue), 0, 0.5 / (1 - l.red));
  for (std::size_t q = 0; q < 3; ++q)
    for (double& w : m.rows[q]) w *= (q == 0 ? 219.0 : 224.0) / 255;
  m.shift[0] = 16;
  return m;
}

/// Encoded to Y, Cb, Cr by one standard and decoded by another.
Mixing recoded(std::string name, const Luma& from, const Luma& to) {
  const Row y = luma(from), blue = less_luma(from, 2, (1 - to.blue) / (1 - from.blue)),
            red = less_luma(from, 0, (1 - to.red) / (1 - from.red));
  Mixing m{std::move(name), {y, y, y}, {}, true, true};
  for (std::size_t i = 0; i < 3; ++i) {
    m.rows[0][i] += red[i];
    m.rows[2][i] += blue[i];
    m.rows[1][i] -= (to.red * red[i] + to.blue * blue[i]) / to.green;
  }
  return m;
}

std::vector<Mixing> made() {
  std::vector<Mixing> all = {
      differences("YCrCb (OpenCV's COLOR_RGB2YCrCb)", k601, 0, 0.713, 2, 0.564),
      differences("YCbCr (JPEG, Pillow's convert(\"YCbCr\"))", k601, 2, 0.5 / (1 - k601.blue), 0,
                  0.5 / (1 - k601.red)),
      differences("YUV (OpenCV's COLOR_RGB2YUV)", k601, 2, 0.492, 0, 0.877),
      differences("YCbCr by ITU-R BT.709", k709, 2, 0.5 / (1 - k709.blue), 0, 0.5 / (1 - k709.red)),
      video("YCbCr in video levels (ITU-R BT.601)", k601),
      video("YCbCr in video levels (ITU-R BT.709)", k709),
      {"XYZ (OpenCV's COLOR_RGB2XYZ)",
       {{0.412453, 0.357580, 0.180423},
        {0.212671, 0.715160, 0.072169},
        {0.019334, 0.119193, 0.950227}},
       {},
       true,
       true},
      recoded("YUV encoded by BT.2020 and decoded by BT.601", k2020, k601),
      recoded("YUV encoded by BT.2020 and decoded by BT.709", k2020, k709),
      recoded("YUV encoded by BT.601 and decoded by BT.2020", k601, k2020),
      recoded("YUV encoded by BT.709 and decoded by BT.2020", k709, k2020)};
  const std::size_t plain = all.size();
  for (std::size_t i = 0; i < plain; ++i) {
    Mixing exchanged = all[i];
    exchanged.name += " of pixels with red and blue exchanged";
    for (Row& row : exchanged.rows) std::swap(row[0], row[2]);
    all.push_back(std::move(exchanged));
  }
  return all;
}

const std::vector<Mixing>& known() {
  static const std::vector<Mixing> all = made();
  return all;
}

/// Lines fitted to a mixture, with their residual in gray steps of the channels' common gain.
Mixed fitted(const Sums& sums, const Mixing& mixing) {
  Mixed mixed{mixing, {}, {}, 0};
  std::vector<Line> lines;
  double gain = 0;
  for (int q = 0; q < sums.channels; ++q) {
    lines.push_back(fit(sums, q, mixing.rows[std::size_t(q)]));
    mixed.gain.push_back(lines.back().coefficients[0]);
    mixed.offset.push_back(lines.back().coefficients[1] -
                           mixed.gain.back() * mixing.shift_of(std::size_t(q)));
    gain += std::abs(mixed.gain.back()) / sums.channels;
  }
  mixed.residual = residual_of(sums, lines, gain);
  return mixed;
}

/// Deviation of the channels' lines from a common range, relative to the reference's gains.
double unevenness(const Mixed& mixed, const Reference& reference) {
  double low = 1e300, high = -1e300;
  for (std::size_t q = 0; q < mixed.gain.size(); ++q) {
    const double ratio = mixed.gain[q] / reference.gain[q];
    low = std::min(low, ratio);
    high = std::max(high, ratio);
  }
  return (high - low) / std::max(std::abs(high), 1e-300);
}

}  // namespace

std::optional<Mixed> exact_matrix(const Sums& sums, const Reference& reference,
                                  const Mixed& nearest, const Fit& free) {
  if (sums.channels != 3 || sums.columns != 3 || reference.gray || reference.gain.size() != 3)
    return std::nullopt;
  const double own_gain = 1 / reference.steps_per_unit();
  const double usual_left = nearest.residual * free.response / own_gain,
               left = free.residual * free.response / own_gain;
  if (usual_left < std::max(kVisible, kTimes * left)) return std::nullopt;
  std::optional<Mixed> best;
  double least = kSameScale;
  for (const Mixing& mixing : known()) {
    Mixed mixed = fitted(sums, mixing);
    if (mixed.residual > kLeft) continue;
    if (const double uneven = unevenness(mixed, reference); uneven < least) {
      least = uneven;
      best = std::move(mixed);
    }
  }
  return best;
}

}  // namespace edgeprobe::diagnose
