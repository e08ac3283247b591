// SPDX-License-Identifier: Apache-2.0
#include "dataset/readings/time.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "sensor/series.h"

namespace edgeprobe::dataset {
namespace {

/// A step this many times the usual one is a gap: a reading was lost.
constexpr double kGap = 1.5;
/// A step that deviates from the usual one by this share is reported.
constexpr double kOff = 0.2;
constexpr double kWholeRate = 5e-4;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return number(seconds * 1e6) + " µs";
  return seconds < 1 ? number(seconds * 1e3) + " ms" : number(seconds) + " s";
}

/// Steps that differ from the usual one.
struct Irregular {
  std::size_t gaps = 0, off = 0;
  std::size_t first_gap = 0;  ///< Step after the first gap.
};

std::string note_on(const Irregular& seen, const std::vector<double>& steps, double usual,
                    double unit, std::size_t line_of) {
  std::string note;
  if (seen.gaps > 0)
    note = std::to_string(seen.gaps) + " of " + std::to_string(steps.size()) +
           " steps of time are gaps, the first before line " +
           std::to_string(line_of + seen.first_gap) + " (" +
           seconds_text(steps[seen.first_gap - 1] * unit) + " for " + seconds_text(usual * unit) +
           "): readings were lost there";
  if (seen.off * 20 > steps.size())
    note += (note.empty() ? "" : "; ") + std::to_string(seen.off) + " of " +
            std::to_string(steps.size()) + " steps of time are off by more than a fifth of " +
            seconds_text(usual * unit);
  return note;
}

}  // namespace

std::optional<TimeColumn> time_column(std::string_view header) {
  const std::string name = lower(header);
  if (name == "seconds_elapsed" || name == "seconds") return TimeColumn{1.0};
  struct Unit {
    std::string_view ending;
    double seconds;
  };
  static constexpr std::array kUnits{Unit{"_s", 1.0},     Unit{"_ms", 1e-3},  Unit{"_us", 1e-6},
                                     Unit{"_ns", 1e-9},   Unit{" (s)", 1.0},  Unit{" (ms)", 1e-3},
                                     Unit{" (us)", 1e-6}, Unit{" (ns)", 1e-9}};
  for (const std::string_view word : {"time", "timestamp", "t"}) {
    if (name == word) return TimeColumn{};
    for (const Unit& unit : kUnits)
      if (name == std::string(word) + std::string(unit.ending)) return TimeColumn{unit.seconds};
  }
  return std::nullopt;
}

Result<Timing> timing_of(const std::vector<double>& times, const TimeColumn& column,
                         const std::string& name, std::size_t line_of) {
  Timing timing;
  const auto wrong = [&](const std::string& what) { return Error{ErrorKind::kUsage, what}; };
  if (times.size() < 2) return timing;
  std::vector<double> steps;
  for (std::size_t i = 1; i < times.size(); ++i) {
    steps.push_back(times[i] - times[i - 1]);
    if (steps.back() < 0)
      return wrong("line " + std::to_string(line_of + i) + ": the time '" + name +
                   "' goes back: sort the rows, or give each recording a file");
  }
  std::vector<double> sorted = steps;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double usual = *middle;
  if (!(usual > 0))
    return wrong("the time '" + name +
                 "' does not advance in most rows: give times with more digits, "
                 "or leave the column out");
  if (!column.unit && usual >= 1)
    return wrong("the time '" + name + "' goes on by " + number(usual) +
                 " a row, which may be seconds, milliseconds or nanoseconds: call the column "
                 "time_s, time_ms, time_us or time_ns");
  const double unit = column.unit.value_or(1);
  Irregular seen;
  double sum = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] > kGap * usual) {
      if (seen.gaps++ == 0) seen.first_gap = i + 1;
      continue;
    }
    seen.off += std::abs(steps[i] - usual) > kOff * usual;
    sum += steps[i];
  }
  const double rate = static_cast<double>(steps.size() - seen.gaps) / (sum * unit);
  if (!(rate >= sensor::kLeastRate) || rate > sensor::kMostRate)
    return wrong("the time '" + name + "' gives " + number(rate) +
                 " steps a second, expected 0.001 to 1000000: check the unit in its name");
  const double whole = std::round(rate);
  timing.rate = whole >= 1 && std::abs(rate / whole - 1) <= kWholeRate ? whole : rate;
  timing.note = note_on(seen, steps, usual, unit, line_of);
  return timing;
}

}  // namespace edgeprobe::dataset
