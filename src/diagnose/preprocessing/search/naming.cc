// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/naming.h"

#include <algorithm>

namespace edgeprobe::diagnose {
namespace {

/// Largest RMS distance in gray steps between measured lines and a candidate name.
constexpr double kNear = 2.0;
/// Residuals this small are not chance and rule out another decoder.
constexpr double kCertain = 0.15;
constexpr double kClear = 0.4;  ///< Another decoder leaves a larger residual.
constexpr double kHair = 0.1;
/// Beyond this many gray steps, and this many times the measured lines' residual, a name is wrong.
constexpr double kVisible = 0.62, kTimes = 4;
constexpr std::size_t kMixed = 6;  ///< Number of mixed-up ranges synthesised.
/// Margin by which a rare name must win unless it is exact: a decoder's bias.
constexpr double kRare = 1.2;

}  // namespace

Named name_range(const Measured& measured, const std::vector<Range>& known, const Frame& frame,
                 const Reference& reference, const Hypothesis& h,
                 const preprocess::Raster& pixels) {
  const auto target = target_values(frame, reference, h);
  const double gain = mean_gain(measured.gain);
  const auto figure = [&](const Range& range) {
    Hypothesis with_it = h;
    with_it.range = range;
    return residual_of(pixels, target, reference, with_it, gain);
  };
  Named out{measured_range(measured, reference), false, 0, {}};
  out.residual = figure(out.range);
  const Named measured_only = out;
  struct Tried {
    double residual, score;
    const Range* range;
  };
  std::vector<Tried> tried;
  for (const Range& range : known) {
    if (distance(measured, range) > kNear) continue;
    const double residual = figure(range);
    const bool own = !range.kind;
    tried.push_back({residual,
                     residual + (range.rare || range.composed ? kRare : 0) - (own ? 2 * kRare : 0),
                     &range});
  }
  if (tried.empty()) return out;
  const auto least = [&](auto value) {
    return &*std::min_element(tried.begin(), tried.end(),
                              [&](const Tried& a, const Tried& b) { return value(a) < value(b); });
  };
  const Tried* chosen = least([](const Tried& t) { return t.score; });
  const Tried* exact = least([](const Tried& t) { return t.residual; });
  if (exact->residual <= kCertain && chosen->residual > 2 * exact->residual + kHair) chosen = exact;
  if (exact->residual <= kClear && chosen->residual > 2 * exact->residual + kClear) chosen = exact;
  // The measured lines reproduce the target and the nearest name visibly does not: the name belongs
  // to a similar range.
  if (chosen->range->kind && measured_only.residual <= kCertain &&
      chosen->residual > std::max(kVisible, kTimes * measured_only.residual))
    return measured_only;
  out = {*chosen->range, true, chosen->residual, {}};
  for (const Tried& t : tried)
    if (t.range != chosen->range && t.residual <= chosen->residual + kHair && !t.range->composed &&
        t.range->kind && chosen->range->kind)
      out.others.push_back(t.range->name);
  return out;
}

std::optional<Named> name_mixed_range(const Measured& measured, const Frame& frame,
                                      const Reference& reference, const Hypothesis& h,
                                      const preprocess::Raster& pixels) {
  struct Near {
    double distance;
    Range range;
  };
  std::vector<Near> near;
  for (Range& range : mixed_ranges(reference))
    if (const double d = distance(measured, range); d <= kNear)
      near.push_back({d, std::move(range)});
  std::stable_sort(near.begin(), near.end(),
                   [](const Near& a, const Near& b) { return a.distance < b.distance; });
  const auto target = target_values(frame, reference, h);
  std::optional<Named> best;
  for (std::size_t i = 0; i < std::min(near.size(), kMixed); ++i) {
    Hypothesis with_it = h;
    with_it.range = near[i].range;
    const double residual =
        residual_of(pixels, target, reference, with_it, mean_gain(measured.gain));
    if (!best || residual < best->residual) best = Named{near[i].range, true, residual, {}};
  }
  return best;
}

}  // namespace edgeprobe::diagnose
