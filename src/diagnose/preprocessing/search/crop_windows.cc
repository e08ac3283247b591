// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/crop_windows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "preprocess/picture/geometry.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Crop;

constexpr double kSlack = 0.6;  ///< Tolerance in pixels of a window found by registration.

/// The roundest number in an interval, the one closest to 0.
std::optional<double> roundest(double low, double high) {
  if (low > high) return std::nullopt;
  if (low <= 0 && high >= 0) return 0.0;
  for (const double unit :
       {1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001}) {
    const double nearest = low > 0 ? std::ceil(low / unit - 1e-9) : std::floor(high / unit + 1e-9);
    const double value = nearest * unit;
    if (value >= low - 1e-12 && value <= high + 1e-12) return std::round(value * 1e4) / 1e4;
  }
  return std::nullopt;
}

/// Common offset of the windows from the centre along one axis, as a fraction of the window.
std::optional<double> common_move(const std::vector<SeenCropWindow>& windows, const Crop& centred,
                                  bool rows, double slack) {
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  for (const SeenCropWindow& w : windows) {
    const auto middle = preprocess::crop_window(centred, w.height, w.width);
    const int side = rows ? w.height : w.width, kept = rows ? middle.height : middle.width;
    const int at = rows ? w.box.top : w.box.left, by = at - (rows ? middle.top : middle.left);
    // At a border, the intended window may extend further.
    if (at > 0) low = std::max(low, (by - 0.5 - slack) / kept);
    if (at < side - kept) high = std::min(high, (by + 0.4999 + slack) / kept);
  }
  return roundest(low, high);
}

std::vector<double> shares(const std::vector<SeenCropWindow>& windows, Crop::Kind kind) {
  double sum = 0;
  for (const SeenCropWindow& w : windows) {
    const int shorter = std::min(w.height, w.width);
    const double h = kind == Crop::Kind::kSquare ? shorter : w.height,
                 c = kind == Crop::Kind::kSquare ? shorter : w.width;
    sum += (w.box.height / h + w.box.width / c) / 2;
  }
  const double mean = sum / double(windows.size());
  std::vector<double> all = {1, 0.875, 0.9, 0.8, 0.95, 0.75};
  for (const double unit : {0.05, 0.01, 0.001})
    for (const double step : {0.0, -1.0, 1.0})
      all.push_back((std::round(mean / unit) + step) * unit);
  std::erase_if(all, [&](double s) { return s <= 0 || s > 1 || std::abs(s - mean) > 0.03; });
  return all;
}

}  // namespace

bool is_crop_window(const Framing& framing) {
  return !framing.reference && !framing.steps.empty() &&
         std::holds_alternative<Crop>(framing.steps[0]) &&
         std::get<Crop>(framing.steps[0]).kind == Crop::Kind::kWindow;
}

std::optional<Crop> common_crop(const std::vector<SeenCropWindow>& windows) {
  if (windows.empty()) return std::nullopt;
  for (const int most : {0, 1})
    for (const auto kind : {Crop::Kind::kFraction, Crop::Kind::kSquare})
      for (const double share : shares(windows, kind)) {
        Crop crop{kind, std::round(share * 1e4) / 1e4, 0, 0, 0, 0, 0, 0};
        const bool fits = std::all_of(windows.begin(), windows.end(), [&](const SeenCropWindow& w) {
          const auto kept = preprocess::crop_window(crop, w.height, w.width);
          return std::abs(kept.height - w.box.height) <= most &&
                 std::abs(kept.width - w.box.width) <= most;
        });
        if (!fits) continue;
        for (const double slack : {0.0, kSlack}) {
          const auto down = common_move(windows, crop, true, slack),
                     right = common_move(windows, crop, false, slack);
          if (!down || !right) continue;
          crop.down = *down;
          crop.right = *right;
          return crop;
        }
      }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose
