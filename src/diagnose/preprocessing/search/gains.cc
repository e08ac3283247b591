// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/search.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/model/color.h"
#include "stats/quantile.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Tone;

constexpr int kRounds = 6;  ///< Number of fits, each on the inliers of the one before.
/// A pixel is clipped if its residual exceeds this many medians,
constexpr double kOff = 2.5;
constexpr double kLeastOff = 0.6;  ///< but at least this many gray steps.
/// Fraction of the pixels that must remain.
constexpr double kFewest = 0.05;
/// Tolerances for round numbers; kSnapGain is relative.
constexpr double kSnapGain = 0.004, kSnapOffset = 0.3;
/// Smaller deviations from the identity are another decoder's bias.
constexpr double kNoGain = 0.01, kNoOffset = 1.5;

struct Point {
  double x, y;
};
struct Level {
  double gain = 1, offset = 0;
};

/// Fits y = gain x + offset to the pixels that were not clipped; nothing if too few remain.
std::optional<Level> line_of(std::vector<Point> points) {
  const std::size_t fewest =
      std::max<std::size_t>(64, std::size_t(kFewest * double(points.size())));
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  if (points.empty() || high->y - low->y < 8) return std::nullopt;
  const double least = low->y + 0.75, most = high->y - 0.75;
  std::vector<Point> kept;
  for (const Point& p : points)
    if (p.y > least && p.y < most) kept.push_back(p);
  Level level;
  for (int round = 0; round < kRounds; ++round) {
    if (kept.size() < fewest) return std::nullopt;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Point& p : kept) {
      ++n;
      x += p.x;
      y += p.y;
      xx += p.x * p.x;
      xy += p.x * p.y;
    }
    const double spread = xx - x * x / n;
    if (spread < 16 * n) return std::nullopt;
    level.gain = (xy - x * y / n) / spread;
    level.offset = (y - level.gain * x) / n;
    std::vector<double> left;
    for (const Point& p : kept) left.push_back(std::abs(p.y - level.gain * p.x - level.offset));
    const double limit = std::max(kLeastOff, kOff * stats::upper_median(left));
    kept.clear();
    for (const Point& p : points)
      if (p.y > least && p.y < most && std::abs(p.y - level.gain * p.x - level.offset) <= limit)
        kept.push_back(p);
  }
  return level;
}

double snapped_gain(double gain) {
  for (const double unit : {0.5, 0.1, 0.05, 0.01, 0.001}) {
    const double round = std::round(gain / unit) * unit;
    if (unit == 0.001 || std::abs(round - gain) <= kSnapGain * std::max(1.0, gain))
      return std::round(round * 1000) / 1000;
  }
  return gain;
}

}  // namespace

std::vector<Tone> fitted_gains(const Content& content, const Trial& trial,
                               const Reference& reference, const Interpretation& interpretation,
                               int picture_channels) {
  const auto& pixels = content.pixels;
  const auto color = name_color(trial.sums, reference, picture_channels);
  std::vector<Level> levels(static_cast<std::size_t>(picture_channels));
  std::vector<bool> seen(levels.size(), false);
  const int c = reference.channels;
  for (int q = 0; q < c; ++q) {
    const auto& row = color.chosen.mixing.rows[std::size_t(q)];
    const auto one = std::find(row.begin(), row.end(), 1.0);
    const std::size_t from = picture_channels == 1 ? 0 : std::size_t(one - row.begin());
    if (from >= levels.size()) return {};  // Mixed channels do not show which of them was clipped.
    if (seen[from]) continue;
    std::vector<Point> points;
    points.reserve(std::size_t(pixels.height) * pixels.width);
    for (int i = 0; i < pixels.height; ++i) {
      const std::size_t at =
          std::size_t(content.geometry.top + content.begin + i * content.row_step) *
              content.geometry.width +
          content.geometry.left;
      for (int x = 0; x < pixels.width; ++x) {
        const double value =
            interpretation.target.values[(at + std::size_t(x)) * std::size_t(c) + std::size_t(q)];
        points.push_back(
            {std::clamp(double(pixels.values[(std::size_t(i) * pixels.width + x) *
                                                 std::size_t(picture_channels) +
                                             from]),
                        0.0, 255.0),
             (value - reference.offset[std::size_t(q)]) / reference.gain[std::size_t(q)]});
      }
    }
    const auto level = line_of(std::move(points));
    if (!level || level->gain < 0.05 || level->gain > 20) return {};
    levels[from] = *level;
    seen[from] = true;
  }
  if (std::find(seen.begin(), seen.end(), false) != seen.end()) return {};
  const bool same = std::all_of(levels.begin(), levels.end(), [&](const Level& l) {
    return std::abs(l.gain - levels[0].gain) < 2 * kSnapGain &&
           std::abs(l.offset - levels[0].offset) < 2 * kSnapOffset;
  });
  if (same) {
    Level mean{0, 0};
    for (const Level& l : levels) {
      mean.gain += l.gain / double(levels.size());
      mean.offset += l.offset / double(levels.size());
    }
    levels = {mean};
  }
  const bool nothing = std::all_of(levels.begin(), levels.end(), [](const Level& l) {
    return std::abs(l.gain - 1) < kNoGain && std::abs(l.offset) < kNoOffset;
  });
  if (nothing) return {};
  std::vector<Tone> tones;
  // Rounding to nearest, and rounding down, which is half a step less. The line of pixels clipped
  // before the resize may be slightly off.
  for (const double down : {0.0, 0.5}) {
    Tone tone{Tone::Curve::kLinear, 1, {}, {}, preprocess::Rounding::kUint8};
    for (const Level& l : levels) {
      tone.gain.push_back(snapped_gain(l.gain));
      // Whole multiples of whole pixels need no rounding.
      const double loss = tone.gain.back() == std::round(tone.gain.back()) ? 0 : down,
                   round = std::round(l.offset + loss);
      tone.offset.push_back(round - down);
    }
    tones.push_back(std::move(tone));
  }
  return tones;
}

std::string gain_text(const Tone& tone) {
  const auto list = [](const std::vector<double>& values, double plus) {
    std::string text;
    for (double v : values) text += (text.empty() ? "" : ", ") + number(v + plus, 4);
    return values.size() == 1 ? text : "[" + text + "]";
  };
  const auto all = [](const std::vector<double>& values, auto is) {
    return std::all_of(values.begin(), values.end(), is);
  };
  // Subtracting half a step and rounding to nearest equals rounding down.
  const bool down = tone.rounding == preprocess::Rounding::kUint8 && all(tone.offset, [](double v) {
                      return std::abs(v + 0.5 - std::round(v + 0.5)) < 1e-9;
                    });
  const double plus = down ? 0.5 : 0;
  std::string text =
      all(tone.gain, [](double v) { return v == 1; }) ? "x" : list(tone.gain, 0) + " x";
  if (!all(tone.offset, [&](double v) { return v + plus == 0; })) {
    const bool one = tone.offset.size() == 1 && tone.offset[0] + plus < 0;
    text += one ? " - " + number(-tone.offset[0] - plus, 4) : " + " + list(tone.offset, plus);
  }
  return text + (down ? ", rounded down" : "");
}

}  // namespace edgeprobe::diagnose
