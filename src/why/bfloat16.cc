// SPDX-License-Identifier: Apache-2.0
#include "why/bfloat16.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "why/pixels.h"
#include "why/relative.h"

namespace edgeprobe::why {
namespace {

using diagnose::Range;

/// Minimum number of changed values.
constexpr std::size_t kFewestCut = 12;
/// Different values needed where a range has at most half of all bfloat16 numbers: near 1, the 128
/// numbers are those of every range.
constexpr std::size_t kFewestTellingValues = 12;
/// Rounding of 32-bit arithmetic, relative to the range's reach.
constexpr double kArithmetic = 3e-7;

float cut_off(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000u);
}
float rounded(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return cut_off(std::bit_cast<float>(bits + 0x7fffu + ((bits >> 16) & 1u)));
}
struct Narrowing {
  float (*of)(float);
  const char* words;
};
constexpr Narrowing kNarrowings[] = {{cut_off, "cut off to bfloat16"},
                                     {rounded, "rounded to bfloat16"}};

std::optional<Answer> narrowed_of(const Sides& sides) {
  if (!is_of_bfloat16(sides.app)) return std::nullopt;
  for (const Narrowing& narrowing : kNarrowings) {
    std::size_t changed = 0, off = 0;
    for (std::size_t i = 0; i < sides.fed.size(); ++i) {
      off += sides.fed[i] != narrowing.of(sides.wanted()[i]);
      changed += sides.fed[i] != sides.wanted()[i];
    }
    if (off > 0 || changed < kFewestCut) continue;
    return named(diagnose::CauseKind::kPrecision,
                 std::string("the app's tensor is the reference's, ") + narrowing.words +
                     " (the lower 16 bits of each value are 0)",
                 {1, 1, 0, "rounding of its type"});
  }
  return std::nullopt;
}

/// For one channel: each value after narrowing, and the pixel (0..255) that it comes from.
using Table = std::unordered_map<float, int>;
Table table_of(const Range& range, std::size_t channel, const Narrowing& narrowing) {
  Table out;
  const double gain = range.gain[channel], offset = range.offset[channel];
  const double slack = kArithmetic * std::max(std::abs(offset), std::abs(offset + 255 * gain));
  for (const double by : {0.0, -1.0, 1.0})
    for (int pixel = 0; pixel < 256; ++pixel) {
      const double exact = gain * pixel + offset;
      // An end of the range, such as 1, comes out of every arithmetic as itself.
      if (by == 0 || double(cut_off(float(exact))) != exact)
        out.emplace(narrowing.of(float(exact + by * slack)), pixel);
    }
  return out;
}

/// The pixels, if every value is one of the range's.
std::optional<std::vector<int>> read_back(const std::vector<float>& rows, std::size_t channels,
                                          const Range& range, const Narrowing& narrowing) {
  std::vector<Table> tables;
  std::vector<std::unordered_map<int, std::size_t>> binades(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    tables.push_back(table_of(range, c, narrowing));
    for (const auto& [value, pixel] : tables.back()) ++binades[c][std::ilogb(value)];
  }
  std::vector<int> out;
  std::set<float> telling;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = i % channels;
    const auto at = tables[c].find(rows[i]);
    if (at == tables[c].end()) return std::nullopt;
    out.push_back(at->second);
    constexpr std::size_t kHalf = 64;
    if (telling.size() < kFewestTellingValues && binades[c][std::ilogb(rows[i])] <= kHalf)
      telling.insert(rows[i]);
  }
  return telling.size() < kFewestTellingValues ? std::nullopt : std::optional(out);
}

struct Reading {
  Side side;
  std::string how;
  bool lost_digits = false;
};
std::vector<Reading> readings_of(const Side& side, const diagnose::PictureLayout& layout,
                                 std::size_t frames) {
  std::vector<Reading> out;
  if (!is_of_bfloat16(side) || frames != 1 || (layout.channels != 1 && layout.channels != 3))
    return out;
  const auto rows = as_rows(side.values.data(), layout);
  for (const Range& range : usual_ranges(int(layout.channels)))
    for (const Narrowing& narrowing : kNarrowings) {
      const auto pixels = read_back(rows, layout.channels, range, narrowing);
      if (!pixels) continue;
      Side full = side;
      std::size_t changed = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t c = i % layout.channels, pixel = i / layout.channels;
        float& value = full.values[layout.planar ? c * layout.height * layout.width + pixel : i];
        const auto exact = float(range.gain[c] * (*pixels)[i] + range.offset[c]);
        changed += std::abs(double(exact) - double(value)) > 1e-6 * std::abs(range.gain[c]);
        value = exact;
      }
      const std::string how = std::string(range.bounds ? "to " : "by ") + range.name;
      out.push_back({std::move(full), changed ? how + ", " + narrowing.words : how, changed > 0});
      break;  // Cut off and rounded: one range.
    }
  return out;
}

}  // namespace

std::optional<Answer> by_bfloat16(const Sides& sides) {
  if (sides.app.spec.dtype != DType::kFloat32 || sides.reference.spec.dtype != DType::kFloat32)
    return std::nullopt;
  if (auto out = narrowed_of(sides)) return out;
  auto out = narrowed_of(exchanged(sides));
  if (out) exchange_words(*out);
  return out;
}

std::vector<Restored> restored(const Sides& sides) {
  if (!sides.picture) return {};
  diagnose::PictureLayout of_app = *sides.picture;
  if (sides.fit == Fit::kPlanar) of_app.planar = !of_app.planar;
  const auto mine = readings_of(sides.app, of_app, sides.frames),
             theirs = readings_of(sides.reference, *sides.picture, sides.frames);
  const auto is_full = [](const Reading& one) { return !one.lost_digits; };
  // Whole pixels are bfloat16 numbers too.
  if (std::all_of(mine.begin(), mine.end(), is_full) &&
      std::all_of(theirs.begin(), theirs.end(), is_full))
    return {};
  std::vector<Restored> out;
  const auto add = [&](const Side& app, const Side& reference, std::string how) {
    out.push_back({lined_up(app, reference), std::move(how)});
  };
  for (const Reading& one : mine)
    if (theirs.empty()) add(one.side, sides.reference, "the app scales pixels " + one.how);
    else
      for (const Reading& other : theirs)
        add(one.side, other.side,
            "the app scales pixels " + one.how + "; the reference " + other.how);
  if (mine.empty())
    for (const Reading& other : theirs)
      add(sides.app, other.side, "the reference scales pixels " + other.how);
  return out;
}

}  // namespace edgeprobe::why
