// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/text.h"
#include "report/page/heat.h"
#include "report/page/input_pair.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {
namespace {

/// Number of values, and of cells on a side of the drawing.
constexpr std::size_t kLevels = 256, kCells = 64;
constexpr std::uint64_t kFewest = 4;  ///< Minimum pixels for drawing a median.

/// Pixels by the reference's value and the app's.
using Counts = std::vector<std::uint64_t>;

Counts counts_of(const std::vector<InputPair>& pairs, std::size_t channel) {
  Counts counts(kLevels * kLevels);
  for (const InputPair& pair : pairs)
    for (std::size_t i = channel; i < pair.target->rgb.size(); i += 3)
      ++counts[pair.reference->rgb[i] * kLevels + pair.target->rgb[i]];
  return counts;
}

/// Median of the app's values where the reference has `value`.
std::optional<double> median_of(const Counts& counts, std::size_t value) {
  const auto* const row = &counts[value * kLevels];
  std::uint64_t all = 0, passed = 0;
  for (std::size_t i = 0; i < kLevels; ++i) all += row[i];
  if (all < kFewest) return std::nullopt;
  std::optional<std::size_t> lower;
  for (std::size_t i = 0;; ++i) {
    passed += row[i];
    if (!lower && passed >= (all + 1) / 2) lower = i;
    if (passed >= all / 2 + 1) return double(*lower + i) / 2;
  }
}

std::string half(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%d%s", int(value), value > std::floor(value) ? ".5" : "");
  return text;
}

/// One line of medians; values with no or almost no pixels leave a gap.
std::string median_line(const Counts& counts, const char* style) {
  std::string lines, points;
  const auto end = [&] {
    if (!points.empty())
      lines += "<polyline class=\"" + std::string(style) + "\" points=\"" + points + "\"/>";
    points.clear();
  };
  std::size_t last = 0;
  for (std::size_t value = 0; value < kLevels; ++value)
    if (const auto median = median_of(counts, value)) {
      if (value - last > 16) end();
      points += (points.empty() ? "" : " ") + std::to_string(value) + "," + half(255 - *median);
      last = value;
    }
  end();
  return lines;
}

/// Brighter for more pixels, on a logarithmic scale; larger values are up.
preprocess::Image density(const std::array<Counts, 3>& channels) {
  std::vector<double> cells(kCells * kCells);
  constexpr std::size_t kStep = kLevels / kCells;
  for (const Counts& counts : channels)
    for (std::size_t i = 0; i < counts.size(); ++i)
      cells[(kCells - 1 - i % kLevels / kStep) * kCells + i / kLevels / kStep] += double(counts[i]);
  const double most = std::log1p(*std::max_element(cells.begin(), cells.end()));
  std::vector<std::uint8_t> levels;
  for (const double count : cells)
    levels.push_back(count > 0 ? std::uint8_t(40 + std::lround(215 * std::log1p(count) / most))
                               : std::uint8_t{0});
  return heat_picture(int(kCells), int(kCells), levels);
}

}  // namespace

std::string curve_figure(const std::vector<InputPair>& pairs) {
  const std::array channels{counts_of(pairs, 0), counts_of(pairs, 1), counts_of(pairs, 2)};
  const bool gray = channels[0] == channels[1] && channels[1] == channels[2];
  // The first line is the widest, so that all stay visible where they coincide.
  std::string lines = median_line(channels[0], gray ? "median all" : "median red");
  if (!gray)
    lines += median_line(channels[1], "median green") + median_line(channels[2], "median blue");
  return "<figure><div class=\"plot\"><img alt=\"how often a value of the reference, across, "
         "became a value of the app, up\" width=\"64\" height=\"64\" "
         "src=\"data:image/png;base64," +
         png_base64(density(channels)) +
         "\"><svg class=\"over\" viewBox=\"0 0 255 255\" preserveAspectRatio=\"none\" "
         "aria-hidden=\"true\"><line class=\"equal\" x1=\"0\" y1=\"255\" x2=\"255\" y2=\"0\"/>" +
         lines +
         "</svg></div><figcaption>value to value<small>across: reference, up: app (0 to 255); "
         "lighter: more pixels (" +
         counted(pairs.size(), "sample") + "); " +
         (gray ? "line: median" : "lines: median of each channel") +
         "; dashed: equal</small></figcaption></figure>\n";
}

}  // namespace edgeprobe::report
