// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/dtype.h"
#include "core/text.h"
#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/line.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Minimum number of values that show wrapped codes.
constexpr std::size_t kFewest = 12;

// A line of slope 1: codes, or values, are shifted.
std::optional<Change> moved(const Pairs& pairs, const Line& line) {
  double low = 0, high = 0;
  for (const Pair& pair : pairs.all)
    for (const float value : pair.wanted)
      low = std::min(low, double(value)), high = std::max(high, double(value));
  const double reach = pairs.codes ? 0.6 : 2 * pairs.slack;
  if (std::abs(line.gain - 1) * (high - low) > reach) return std::nullopt;
  const char* side = line.offset > 0 ? " too high" : " too low";
  if (!pairs.codes)
    return Change{CauseKind::kValueRange,
                  "is " + number(std::abs(line.offset)) + side + " in every value"};
  const double by = std::round(line.offset), zero = pairs.codes->zero;
  Change change{CauseKind::kInputQuantization,
                "holds codes that are " + number(std::abs(by)) + side};
  if (zero != 0 && by == -zero)
    change.detail += ": its zero point is taken for 0, not " + number(zero);
  else if (pairs.codes->scale > 0)
    change.alternatives = {"values that are " + number(std::abs(by) * pairs.codes->scale) + side +
                           ", or zero point " + number(zero + by) + " for " + number(zero)};
  return change;
}

struct Named {
  double gain;
  const char* name;
};
constexpr std::array kNamed{
    Named{2.302585, "the natural logarithm for the decimal one"},
    Named{0.4342945, "the decimal logarithm for the natural one"},
    Named{4.342945, "decibels of power for the natural logarithm"},
    Named{0.2302585, "the natural logarithm for decibels of power"},
    Named{8.685890, "decibels of magnitude for the natural logarithm"},
    Named{1.442695, "the binary logarithm for the natural one"},
    Named{0.6931472, "the natural logarithm for the binary one"},
    Named{57.29578, "degrees for radians"},
    Named{0.01745329, "radians for degrees"},
    Named{9.80665, "m/s² for g"},
    Named{0.1019716, "g for m/s²"},
    Named{32768, "16-bit samples for -1..1"},
    Named{1.0 / 32768, "-1..1 for 16-bit samples"},
    Named{255, "0..255 for 0..1"},
    Named{1.0 / 255, "0..1 for 0..255"},
    Named{1000, "thousandths of the unit"},
    Named{0.001, "a unit a thousand times as large"},
    Named{100, "percent for fractions"},
};
std::vector<std::string> names_of(const Pairs& pairs, const Line& line) {
  std::vector<std::string> names;
  const double slack = pairs.codes ? 0.01 : 1e-4;
  for (const Named& named : kNamed)
    if (std::abs(line.gain / named.gain - 1) < slack) names.push_back(named.name);
  if (pairs.codes && pairs.codes->scale > 0 && line.gain > 0)
    names.push_back("codes of scale " + number(pairs.codes->scale / line.gain) +
                    ", where the model has " + number(pairs.codes->scale));
  return names;
}

// Codes with another scale and zero point, if both differ: the zero point is a whole number.
std::optional<Change> other_codes(const Pairs& pairs, const Line& line) {
  if (!pairs.codes || !(pairs.codes->scale > 0) || !(line.gain > 0)) return std::nullopt;
  const Codes& codes = *pairs.codes;
  const double zero = line.offset + line.gain * codes.zero, whole = std::round(zero);
  const double slack = 0.02 + 0.05 * line.gain;
  if (whole == codes.zero || std::abs(zero - whole) > slack || whole < codes.least ||
      whole > codes.most)
    return std::nullopt;
  return Change{CauseKind::kInputQuantization,
                "holds codes of scale " + number(codes.scale / line.gain, 3) + " and zero point " +
                    number(whole) + "; the model's are " + number(codes.scale, 3) + " and " +
                    number(codes.zero),
                {in_words(pairs, line)}};
}

// Real values stored as whole numbers without division by the scale.
std::optional<Change> cast(const Pairs& pairs) {
  if (!pairs.codes || !(pairs.codes->scale > 0)) return std::nullopt;
  const Codes& codes = *pairs.codes;
  const bool fits = reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
    const double real = codes.scale * (double(pairs.all[at].wanted[i]) - codes.zero);
    return float(std::clamp(std::trunc(real), codes.least, codes.most));
  });
  if (!fits) return std::nullopt;
  return Change{CauseKind::kInputQuantization,
                "holds the real values cast to whole numbers, without the model's scale " +
                    number(codes.scale, 3) + " and zero point " + number(codes.zero)};
}

}  // namespace

std::string in_words(const Pairs& pairs, const Line& line) {
  double gain = line.gain, offset = line.offset;
  const double scale = pairs.codes ? pairs.codes->scale : 0, step = scale > 0 ? scale : 1;
  if (scale > 0) offset = scale * (line.offset + (line.gain - 1) * pairs.codes->zero);
  const double reach = pairs.codes ? 1.2 * step : pairs.slack;
  // Codes determine a gain to three digits.
  const std::string by = number(gain, pairs.codes ? 3 : 4);
  if (std::abs(offset) <= reach * std::max(1.0, std::abs(gain)))
    return by == "-1" ? "is the reference's with the other sign" : "is the reference's times " + by;
  return "is the reference's times " + by + (offset < 0 ? " minus " : " plus ") +
         number(std::abs(offset));
}

std::optional<Change> wrapped(const Pairs& pairs) {
  if (!pairs.codes) return std::nullopt;
  std::size_t count = 0;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const float wanted = pairs.all[at].wanted[i], fed = pairs.all[at].fed[i];
      if (wanted == fed) continue;
      if (wanted > pairs.codes->least && wanted < pairs.codes->most) return std::nullopt;
      ++count;
    }
  if (count < kFewest) return std::nullopt;
  return Change{
      CauseKind::kInputQuantization,
      "holds other codes only where the reference's are cut off at an end: the app's wrap "
      "round there"};
}

std::optional<Change> other_precision(const Pairs& pairs) {
  if (pairs.codes) return std::nullopt;
  std::size_t changed = 0, other = 0;
  for (const std::size_t at : pairs.differs)
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const float wanted = pairs.all[at].wanted[i], fed = pairs.all[at].fed[i];
      const bool is_rounded = fed == half_to_float(float_to_half(wanted));
      // A value between two codes may have been rounded from the reference's unrounded one.
      other += !is_rounded;
      changed += fed != wanted && is_rounded;
    }
  if (changed < kFewest || 100 * other > changed) return std::nullopt;
  return Change{CauseKind::kPrecision, "is the reference's rounded to float16"};
}

std::optional<Change> other_line(const Pairs& pairs) {
  if (auto change = cast(pairs)) return change;
  for (const bool some : {false, true}) {
    const auto fit = fitted(pairs, some);
    if (!fit) continue;
    auto change = moved(pairs, fit->line);
    if (!change) change = other_codes(pairs, fit->line);
    if (!change)
      change =
          Change{CauseKind::kValueRange, in_words(pairs, fit->line), names_of(pairs, fit->line)};
    if (fit->some) change->detail += ", but for values that are the reference's own";
    return change;
  }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose::tensors
