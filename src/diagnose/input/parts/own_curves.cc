// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "diagnose/input/parts/parts.h"

namespace edgeprobe::diagnose {
namespace {

/// Largest deviation from the curve in gray steps (RMS); outlier distance in gray steps; largest
/// fraction of outliers.
constexpr double kLeft = 0.75, kFar = 3, kMostFar = 0.005;
/// Smallest number of levels of a curve, and of values per level on average.
constexpr std::size_t kLeastLevels = 24;
constexpr double kLeastBorne = 8;
constexpr double kLeastReach = 4;  ///< Gray steps; a smaller range is a constant, not a curve.
constexpr std::size_t kLevels = 256;

/// Maps each of the reference's levels in one channel of one picture to the recorded level, in gray
/// steps.
struct Curve {
  std::vector<double> level = std::vector<double>(kLevels, NAN);
  std::size_t levels = 0, values = 0;
  double left = 0, far = 0;
};

Curve curve_of(const RecordedPictures& recorded, const RecordedPicture& one, std::size_t channel,
               double low) {
  std::vector<std::vector<float>> bins(kLevels);
  for (std::size_t p = channel; p < one.fed.size(); p += recorded.layout.channels) {
    const double level = std::round((double(one.wanted[p]) - low) / recorded.unit);
    bins[std::size_t(std::clamp(level, 0.0, double(kLevels - 1)))].push_back(
        float(double(one.fed[p]) / recorded.unit));
  }
  Curve curve;
  double squares = 0, near = 0;
  for (std::size_t v = 0; v < kLevels; ++v) {
    if (bins[v].size() < 2) continue;
    ++curve.levels;
    curve.values += bins[v].size();
    curve.level[v] = median(bins[v]);
    for (const float value : bins[v]) {
      const double d = std::abs(double(value) - curve.level[v]);
      if (d > kFar) {
        ++curve.far;
      } else {
        squares += d * d;
        ++near;
      }
    }
  }
  curve.left = near > 0 ? std::sqrt(squares / near) : 0;
  curve.far /= std::max(1.0, double(curve.values));
  return curve;
}

double reach(const Curve& curve) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : curve.level) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high - low;
}

bool holds(const Curve& curve) {
  return reach(curve) > kLeastReach && curve.levels >= kLeastLevels &&
         double(curve.values) >= kLeastBorne * double(curve.levels) && curve.left <= kLeft &&
         curve.far <= kMostFar;
}

bool rises(const Curve& curve) {
  double last = -std::numeric_limits<double>::infinity();
  for (const double value : curve.level) {
    if (std::isnan(value)) continue;
    if (value < last - 1.1) return false;
    last = std::max(last, value);
  }
  return true;
}

/// Largest distance of two curves at common levels.
double apart(const Curve& a, const Curve& b) {
  double most = 0;
  for (std::size_t v = 0; v < kLevels; ++v)
    if (!std::isnan(a.level[v]) && !std::isnan(b.level[v]))
      most = std::max(most, std::abs(a.level[v] - b.level[v]));
  return most;
}

std::string shown(const Curve& curve, double low, double unit) {
  std::string text;
  for (const std::size_t wanted : {0, 64, 128, 192, 255}) {
    std::size_t best = 0;
    double nearest = 1e9;
    for (std::size_t v = 0; v < kLevels; ++v)
      if (!std::isnan(curve.level[v]) && std::abs(double(v) - double(wanted)) < nearest) {
        nearest = std::abs(double(v) - double(wanted));
        best = v;
      }
    text += (text.empty() ? "" : ", ") + std::to_string(best) + " -> " +
            number(std::round(curve.level[best] - low / unit), 3);
  }
  return text;
}

}  // namespace

std::optional<InputFault> own_curves(const RecordedPictures& recorded) {
  double low = std::numeric_limits<double>::infinity();
  for (const RecordedPicture& one : recorded.pictures)
    for (const float v : one.wanted) low = std::min<double>(low, v);
  const std::size_t channels = recorded.layout.channels;
  std::vector<Curve> first;
  double between = 0;
  bool rising = true, alike = true;
  for (const RecordedPicture& one : recorded.pictures) {
    std::vector<Curve> curves;
    for (std::size_t c = 0; c < channels; ++c) {
      curves.push_back(curve_of(recorded, one, c, low));
      if (!holds(curves.back())) return std::nullopt;
      rising = rising && rises(curves.back());
      alike = alike && apart(curves.back(), curves.front()) <= 3;
    }
    if (first.empty()) first = curves;
    for (std::size_t c = 0; c < channels; ++c)
      between = std::max(between, apart(first[c], curves[c]));
  }
  InputFault fault;
  fault.kind = CauseKind::kValueTable;
  const bool own = between > 3;
  fault.detail = std::string("the app's values pass through a curve") +
                 (own ? " of each frame's own" : "") +
                 (channels > 1 && !alike ? ", another for each channel" : "") +
                 (rising ? "" : ", which does not always rise") + ": gray steps " +
                 shown(first.front(), low, recorded.unit) +
                 (own ? " in frame " + std::to_string(recorded.pictures.front().frame) : "") +
                 "; the reference keeps the values";
  if (own && rising) fault.alternatives.push_back("histogram equalisation or automatic levels");
  return fault;
}

}  // namespace edgeprobe::diagnose
