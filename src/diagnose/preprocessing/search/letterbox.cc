// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/explain.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

/// Largest distance in gray steps between a measured fill and a usual one;
constexpr double kSnap = 1.2;
constexpr double kExactSnap = 0.2;  ///< the same for real values.

/// Mean of each target channel over the bars; nothing without bars.
std::optional<std::vector<double>> mean_of_letterbox(const Geometry& g, const Reference& reference,
                                                     const Interpretation& interpretation) {
  std::vector<double> sum(std::size_t(reference.channels), 0);
  double count = 0;
  for (int y = 0; y < g.height; ++y)
    for (int x = 0; x < g.width; ++x) {
      if (y >= g.top && y < g.top + g.rows.out && x >= g.left && x < g.left + g.columns.out)
        continue;
      for (int c = 0; c < reference.channels; ++c)
        sum[std::size_t(c)] += double(
            interpretation.target.values[(std::size_t(y) * g.width + x) * reference.channels + c]);
      ++count;
    }
  if (count == 0) return std::nullopt;
  for (double& v : sum) v /= count;
  return sum;
}

/// Pixel that a curve maps to `value`: curves increase, so the nearest of all 256 suffices.
double before_curve(const preprocess::Step& step, double value) {
  preprocess::Raster all{1, 256, 1, std::vector<float>(256)};
  for (int i = 0; i < 256; ++i) all.values[std::size_t(i)] = float(i);
  apply_tone_step(all, {step, false, {}});
  std::size_t best = 0;
  for (std::size_t i = 1; i < 256; ++i)
    if (std::abs(double(all.values[i]) - value) < std::abs(double(all.values[best]) - value))
      best = i;
  return double(best);
}

// The reference's own value if it is possible, else the nearest usual one. Real values distinguish
// neighbouring levels; codes may not.
double snapped(double fill, double own, bool is_coded) {
  if (std::abs(fill - own) <= kSnap) return own;
  double nearest = 0;
  for (const double usual : {0.0, 114.0, 127.5, 128.0, 127.0, 255.0})
    if (std::abs(fill - usual) < std::abs(fill - nearest)) nearest = usual;
  if (std::abs(fill - nearest) <= (is_coded ? kSnap : kExactSnap)) return nearest;
  return std::round(fill * 10) / 10;
}

}  // namespace

void measure_letterbox(Frame& frame, const Reference& reference,
                       const Interpretation& interpretation, const Hypothesis& own, Hypothesis& h) {
  h.fill = own.fill;
  h.channel_fill = own.channel_fill;
  if (!h.framing.has_letterbox()) return;
  const auto g = geometry(steps_of({h.framing, h.orientation, h.turned_last}, h.resampling,
                                   preprocess::Rounding::kFloat),
                          frame.upright.height, frame.upright.width);
  const auto mean =
      g && g->has_letterbox() ? mean_of_letterbox(*g, reference, interpretation) : std::nullopt;
  if (!mean || h.range.per_picture) return;
  // In the picture's own channels; a gray target has one value for all.
  std::vector<double> fill(3, 0), known(3, 0);
  for (std::size_t q = 0; q < mean->size(); ++q) {
    double value = ((*mean)[q] - h.range.offset[q]) / h.range.gain[q];
    if (h.tone_step && !h.tone_step_first) value = before_curve(*h.tone_step, value);
    for (std::size_t i = 0; i < 3; ++i)
      if (h.mixing.rows[q][i] != 0) {
        fill[i] += value;
        ++known[i];
      }
  }
  double sum = 0, values = 0, least = 1e300, most = -1e300;
  for (std::size_t i = 0; i < 3; ++i) {
    if (known[i] == 0) continue;
    fill[i] /= known[i];
    sum += fill[i];
    ++values;
    least = std::min(least, fill[i]);
    most = std::max(most, fill[i]);
  }
  if (values == 0) return;
  if (most - least <= 2 * kSnap || frame.channels() == 1 || values < 3) {
    h.channel_fill.clear();
    h.fill = snapped(sum / values, own.fill, reference.coded);
    if (!own.channel_fill.empty() && own.channel_fill.size() == 3) {
      bool same = true;
      for (std::size_t i = 0; i < 3; ++i)
        same = same && std::abs(own.channel_fill[i] - fill[i]) <= kSnap;
      if (same) h.channel_fill = own.channel_fill;
    }
    return;
  }
  h.channel_fill.clear();
  for (std::size_t i = 0; i < 3; ++i)
    h.channel_fill.push_back(snapped(
        fill[i], own.channel_fill.size() == 3 ? own.channel_fill[i] : own.fill, reference.coded));
}

}  // namespace edgeprobe::diagnose
