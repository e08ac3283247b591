// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "core/text.h"
#include "diagnose/preprocessing/answer/value_table.h"
#include "stats/quantile.h"

namespace edgeprobe::diagnose {
namespace {

constexpr double kNear = 1.1;        ///< Tolerance in gray steps: both sides round.
constexpr double kNearlyAll = 0.99;  ///< Fraction of the pixels that must fit.

struct Point {
  double x = 0, y = 0, weight = 0;
};
using Points = std::vector<Point>;

Points points_of(const ChannelTable& table) {
  Points out;
  for (std::size_t v = 0; v < 256; ++v)
    if (table.count[v]) out.push_back({double(v), double(table.value[v]), double(table.count[v])});
  return out;
}

bool follows(const Points& points, const std::function<double(double)>& curve,
             double near = kNear) {
  double fits = 0, all = 0;
  for (const Point& p : points) {
    all += p.weight;
    if (std::abs(p.y - curve(p.x)) <= near) fits += p.weight;
  }
  return fits >= kNearlyAll * all;
}

std::string signed_text(double value) {
  return (value < 0 ? " - " : " + ") + number(std::abs(value), 4);
}

/// "x", "x + 40", "1.5 x - 3".
std::string line_text(double gain, double offset) {
  return (std::abs(gain - 1) < 0.005 ? "x" : number(gain, 3) + " x") +
         (std::abs(offset) < 0.5 ? "" : signed_text(offset));
}

/// One jump by 256 of the line's own steps: arithmetic in 8 bits.
std::optional<std::string> wrapped(const Points& points) {
  std::vector<double> slopes;
  for (std::size_t i = 1; i < points.size(); ++i)
    slopes.push_back((points[i].y - points[i - 1].y) / (points[i].x - points[i - 1].x));
  const double gain = stats::upper_median(slopes);
  if (std::abs(gain) < 0.05) return std::nullopt;
  std::size_t at = 0;
  double largest = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double error_gain =
        std::abs(points[i].y - points[i - 1].y - gain * (points[i].x - points[i - 1].x));
    if (error_gain > largest) {
      largest = error_gain;
      at = i;
    }
  }
  if (at == 0) return std::nullopt;
  std::vector<double> low, high;
  for (std::size_t i = 0; i < points.size(); ++i)
    (i < at ? low : high).push_back(points[i].y - gain * points[i].x);
  const double below = stats::upper_median(low), above = stats::upper_median(high),
               by = (above - below) / gain;
  if (std::abs(by + 256) > 3 || points[at].x - points[at - 1].x > 4) return std::nullopt;
  const double edge = points[at].x;
  if (!follows(points, [&](double x) { return gain * x + (x < edge ? below : above); }))
    return std::nullopt;
  const bool own_scale = std::abs(gain - 1) < 0.01;
  const std::string from = std::to_string(int(edge));
  const std::string high_ones = "those from " + from + " on come out 256 lower";
  if (std::abs(edge - 128) < 1.5 && !own_scale)
    return "the app reads the pixel bytes as signed numbers, or computes x - 128 in 8 bits: " +
           high_ones + ", with " + number(gain, 3) +
           " of the reference's gain; the reference reads 0..255";
  if (std::abs(edge - 128) < 1.5 && std::abs(below) < 1.5)
    return "the app reads the pixel bytes as signed numbers: " + high_ones +
           "; the reference reads 0..255";
  if (own_scale && std::abs(above) < 1.5)
    return "the app computes x - " + from + " in 8 bits, which wraps round: pixels below " + from +
           " come out 256 higher; the reference does not wrap";
  if (own_scale && std::abs(edge + below - 256) < 2.5)
    return "the app computes " + line_text(1, below) +
           " in 8 bits, which wraps round: pixels from " + from +
           " on come out 256 lower; the reference does not wrap";
  return "the app's arithmetic wraps round in 8 bits: of the pixels " + high_ones +
         (own_scale ? "" : ", with " + number(gain, 3) + " of the reference's gain") +
         "; the reference does not wrap";
}

/// Several jumps: a product in 8 bits.
std::optional<std::string> wrapped_often(const Points& points) {
  std::vector<double> slopes;
  for (std::size_t i = 1; i < points.size(); ++i)
    slopes.push_back((points[i].y - points[i - 1].y) / (points[i].x - points[i - 1].x));
  const double gain = stats::upper_median(slopes);
  if (gain < 1.05 || gain > 16) return std::nullopt;
  for (const Point& p : points)
    if (p.y < -kNear || p.y > 255 + kNear) return std::nullopt;
  const double offset = points.front().y - gain * points.front().x;
  const auto curve = [&](double x) {
    const double v = gain * x + offset;
    return v - 256 * std::floor(v / 256);
  };
  double fits = 0, all = 0;
  for (const Point& p : points) {
    const double d = std::abs(p.y - curve(p.x));
    all += p.weight;
    if (std::min(d, 256 - d) <= 2 * kNear) fits += p.weight;
  }
  if (fits < kNearlyAll * all) return std::nullopt;
  return "the app computes " + line_text(gain, offset) +
         " in 8 bits, which wraps round; the reference does not";
}

std::optional<std::string> cut_off(const Points& points) {
  const auto [low, high] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.y < b.y; });
  const double least = low->y, most = high->y;
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Point& p : points) {
    if (p.y < least + 2 || p.y > most - 2) continue;
    ++n;
    sx += p.x;
    sy += p.y;
    sxx += p.x * p.x;
    sxy += p.x * p.y;
  }
  const double spread = sxx - sx * sx / std::max(n, 1.0);
  if (n < 8 || spread <= 0) return std::nullopt;
  double gain = (sxy - sx * sy / n) / spread, offset = (sy - gain * sx) / n;
  if (std::abs(gain - 1) < 0.01 && std::abs(offset) < 1.5) {
    gain = 1;
    offset = 0;
  }
  if (gain <= 0.05 ||
      !follows(points, [&](double x) { return std::clamp(gain * x + offset, least, most); }))
    return std::nullopt;
  const bool below =
      points.front().y <= least + kNear && gain * points.front().x + offset < least - 2;
  const bool above = points.back().y >= most - kNear && gain * points.back().x + offset > most + 2;
  if (!below && !above) return std::nullopt;
  std::string text = gain == 1 ? "the app cuts the values off"
                               : "the app computes " + line_text(gain, offset) + " and cuts it off";
  if (below) text += " below what pixel " + number(least, 3) + " gives";
  if (above)
    text += std::string(below ? " and" : "") + " above what pixel " + number(most, 3) + " gives";
  return text + "; the reference keeps all values";
}

std::optional<std::string> dropped_bits(const std::vector<Points>& channels) {
  std::string text;
  bool alike = true, any = false;
  int first = -1;
  for (const Points& points : channels) {
    int found = -1;
    for (int bits = 0; bits <= 6 && found < 0; ++bits) {
      const double q = 1 << bits;
      std::vector<double> offsets;
      for (const Point& p : points) offsets.push_back(p.y - std::floor(p.x / q) * q);
      const double offset = stats::upper_median(offsets);
      if (offset > -1.5 && offset < q + 0.5 &&
          follows(
              points, [&](double x) { return std::floor(x / q) * q + offset; },
              bits == 0 ? 0.3 : 0.6))
        found = bits;
    }
    if (found < 0) return std::nullopt;
    any = any || found > 0;
    if (first < 0) first = found;
    alike = alike && found == first;
    text += (text.empty() ? "" : ", ") + std::to_string(8 - found);
  }
  if (!any) return std::nullopt;
  return alike
             ? "the app keeps only the upper " + std::to_string(8 - first) +
                   " bits of each pixel; the reference keeps all 8"
             : "the app keeps " + text +
                   " bits of the channels (a 16-bit picture, 5-6-5); the reference keeps 8 of each";
}

/// Integer arithmetic, or a threshold.
std::optional<std::string> few_levels(const Points& points) {
  std::vector<Point> starts;
  for (const Point& p : points)
    if (starts.empty() || std::abs(p.y - starts.back().y) > 2 * kNear) starts.push_back(p);
  if (starts.size() < 2 || starts.size() > 8) return std::nullopt;
  for (std::size_t i = 1; i < starts.size(); ++i)
    if (starts[i].y < starts[i - 1].y) return std::nullopt;
  std::string text;
  for (std::size_t i = 1; i < starts.size(); ++i)
    text += (i == 1                   ? ""
             : i + 1 == starts.size() ? " and "
                                      : ", ") +
            std::to_string(int(starts[i].x));
  if (starts.size() == 2)
    return "the app compares pixels with " + text +
           " or divides them in whole numbers: only two values are left; the reference keeps all";
  return "the app divides pixels in whole numbers: only " + std::to_string(starts.size()) +
         " values are left, the next one from pixel " + text +
         " on; the reference divides real numbers";
}

std::string shown(const Points& points) {
  std::string text;
  for (const double wanted : {0.0, 64.0, 128.0, 192.0, 255.0}) {
    const auto nearest =
        std::min_element(points.begin(), points.end(), [&](const Point& a, const Point& b) {
          return std::abs(a.x - wanted) < std::abs(b.x - wanted);
        });
    text += (text.empty() ? "" : ", ") + std::to_string(int(nearest->x)) + " -> " +
            number(nearest->y, 3);
  }
  return text;
}

}  // namespace

TableName name_table(const std::vector<ChannelTable>& pixels) {
  std::vector<Points> channels;
  Points all;
  for (const ChannelTable& table : pixels) channels.push_back(points_of(table));
  // Uses one table if all channels are alike.
  bool alike = true;
  for (const ChannelTable& table : pixels)
    for (std::size_t v = 0; v < 256; ++v)
      if (table.count[v] && pixels.front().count[v])
        alike = alike && std::abs(table.value[v] - pixels.front().value[v]) <= 2 * kNear;
  if (alike) {
    ChannelTable merged;
    for (const ChannelTable& table : pixels)
      for (std::size_t v = 0; v < 256; ++v) {
        if (table.count[v] > merged.count[v]) merged.value[v] = table.value[v];
        merged.count[v] += table.count[v];
      }
    all = points_of(merged);
  }
  if (auto text = dropped_bits(channels)) return {*text, true};
  if (alike) {
    for (const auto& name : {wrapped, few_levels, cut_off, wrapped_often})
      if (auto text = name(all)) return {*text, true};
    return {"the app's values pass through a table: pixels " + shown(all) +
                " (in the pixels for which the reference stores these values)",
            false};
  }
  // The same curve in each channel, with different lines.
  std::string text = "the app's values pass through a table for each channel: ";
  for (std::size_t q = 0; q < channels.size(); ++q)
    text +=
        (q ? "; " : "") + std::string("channel ") + std::to_string(q) + " " + shown(channels[q]);
  const auto first = wrapped(channels.front());
  if (first && std::all_of(channels.begin(), channels.end(),
                           [&](const Points& p) { return wrapped(p).has_value(); }))
    return {*first, true};
  return {text + " (in the pixels for which the reference stores these values)", false};
}

}  // namespace edgeprobe::diagnose
