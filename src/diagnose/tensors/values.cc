// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/text.h"
#include "diagnose/tensors/axes.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/line.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Values that show a line, at the least, and those of each part where every part has its own.
constexpr std::size_t kFewest = 12, kFewestOfPart = 6;
/// Steps by which the fed values have to vary, so that a line is more than a constant, and those of
/// most parts.
constexpr double kFewestSteps = 1.2, kFewestStepsOfPart = 3;
/// Of the values those on the line where the others are the reference's own.
constexpr double kMostOnLine = 0.5;
/// Of the squares between both sides, what a line may leave: rounding makes no line.
constexpr double kMostLeft = 0.25;

// In words of real values.
std::string worded(const Pairs& pairs, const Line& line) {
  double gain = line.gain, offset = line.offset;
  const double scale = pairs.codes ? pairs.codes->scale : 0, step = scale > 0 ? scale : 1;
  if (scale > 0) offset = scale * (line.offset + (line.gain - 1) * pairs.codes->zero);
  const double reach = pairs.codes ? 1.2 * step : pairs.slack;
  // Codes tell a gain to three digits.
  const std::string by = number(gain, pairs.codes ? 3 : 4);
  if (std::abs(offset) <= reach * std::max(1.0, std::abs(gain)))
    return by == "-1" ? "is the reference's with the other sign" : "is the reference's times " + by;
  return "is the reference's times " + by + (offset < 0 ? " minus " : " plus ") +
         number(std::abs(offset));
}

// A line of slope 1: the codes, or the values, are moved.
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

// Codes of another scale and zero point, where both differ: the zero point is a whole number.
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
                {worded(pairs, line)}};
}

// Real values as whole numbers, never divided by the scale.
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

/// How far both sides lie apart, with a line and without it.
struct Squares {
  double own = 0, left = 0;

  void add(const Line& line, float wanted, float fed) {
    const double apart = double(fed) - double(wanted),
                 off = double(fed) - line.gain * double(wanted) - line.offset;
    if (!std::isfinite(apart)) return;
    own += apart * apart;
    left += std::min(off * off, apart * apart);
  }
  bool are_explained() const { return left <= kMostLeft * own; }
};

struct Fitted {
  Line line;
  bool some = false;  ///< Other values are the reference's own.
};

// The line through all values, or through those that differ where the others are equal.
// `bent`: the reference's values went through a curve, and may be what was fed.
std::optional<Fitted> fitted(const Pairs& pairs, bool some, bool bent = false) {
  const LineMaker maker(pairs);
  LineFit fit;
  const auto each = [&](const auto& visit) {
    for (const std::size_t at : pairs.differs)
      for (std::size_t i = 0; i < pairs.values(); ++i)
        if (!visit(pairs.all[at].wanted[i], pairs.all[at].fed[i])) return false;
    return true;
  };
  const auto own = [&](float wanted, float fed) {
    return std::abs(double(fed) - double(wanted)) <= pairs.same;
  };
  each([&](float wanted, float fed) {
    if (maker.tells(wanted, fed) && !(some && own(wanted, fed))) fit.add(wanted, fed);
    return true;
  });
  const double step = pairs.codes ? 1 : std::max(pairs.slack, 1e-30);
  const auto line = fit.line();
  if (!line || fit.count() < kFewest || fit.deviation() < kFewestSteps * step ||
      std::abs(line->gain) < 1e-12)
    return std::nullopt;
  std::size_t on = 0, count = 0;
  Squares squares;
  const bool all = each([&](float wanted, float fed) {
    ++count;
    if (some && own(wanted, fed)) return true;
    ++on;
    squares.add(*line, wanted, fed);
    return maker.makes(*line, wanted, fed);
  });
  if (!all || !(bent || squares.are_explained()) ||
      (some && double(on) < kMostOnLine * double(count)))
    return std::nullopt;
  return Fitted{*line, some && on < count};
}

/// Parts that may each have a line of their own: the slices of an axis, or whole frames.
struct Parts {
  std::string noun, names;
  std::size_t count = 0;
  std::vector<std::size_t> of;  ///< Of each value; empty: the frame's.
};

std::optional<std::vector<Line>> lines_of(const Pairs& pairs, const Parts& parts) {
  const LineMaker maker(pairs);
  std::vector<LineFit> fits(parts.count);
  const auto part = [&](std::size_t nth, std::size_t i) {
    return parts.of.empty() ? nth : parts.of[i];
  };
  for (std::size_t nth = 0; nth < pairs.differs.size(); ++nth) {
    const Pair& pair = pairs.all[pairs.differs[nth]];
    for (std::size_t i = 0; i < pairs.values(); ++i)
      if (maker.tells(pair.wanted[i], pair.fed[i]))
        fits[part(nth, i)].add(pair.wanted[i], pair.fed[i]);
  }
  const double step = pairs.codes ? 1 : std::max(pairs.slack, 1e-30);
  std::vector<Line> lines;
  std::size_t vary = 0;
  for (const LineFit& fit : fits) {
    const auto line = fit.line();
    if (fit.count() < kFewestOfPart) return std::nullopt;
    vary += fit.deviation() >= kFewestStepsOfPart * step;
    lines.push_back(line.value_or(Line{}));
  }
  if (2 * vary < fits.size()) return std::nullopt;
  Squares squares;
  for (std::size_t nth = 0; nth < pairs.differs.size(); ++nth) {
    const Pair& pair = pairs.all[pairs.differs[nth]];
    for (std::size_t i = 0; i < pairs.values(); ++i) {
      const Line& line = lines[part(nth, i)];
      if (!maker.makes(line, pair.wanted[i], pair.fed[i])) return std::nullopt;
      squares.add(line, pair.wanted[i], pair.fed[i]);
    }
  }
  return squares.are_explained() ? std::optional(lines) : std::nullopt;
}

Change worded(const Pairs& pairs, const Parts& parts, const std::vector<Line>& lines) {
  std::vector<double> gains;
  for (const Line& line : lines) gains.push_back(line.gain);
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  const bool offsets_only = std::abs(*least - 1) < 0.02 && std::abs(*most - 1) < 0.02;
  Change change{CauseKind::kFeatureNormalization,
                "has a gain and an offset of its own in each " + parts.noun + ": the first " +
                    worded(pairs, lines.front()) + ", the last " + worded(pairs, lines.back())};
  if (offsets_only)
    change.detail = "has an offset of its own in each " + parts.noun + ", from " +
                    number(lines.front().offset) + " (the first) to " +
                    number(lines.back().offset) + " (the last)" + (pairs.codes ? " codes" : "");
  change.alternatives = {"mean and deviation of " + parts.names + " that are others, or left out"};
  return change;
}

double clipped(double value, double low, double high) {
  return std::min(std::max(value, low), high);
}

/// Functions of the value.
struct Curve {
  const char* name;
  double (*of)(double);
  bool is_of_logarithm = true;
};
constexpr std::array kExact{
    Curve{"the reference's without its sign", [](double x) { return std::abs(x); }},
    Curve{"the reference's, rounded to whole numbers", [](double x) { return std::round(x); }},
    Curve{"the reference's, cut down to whole numbers", [](double x) { return std::trunc(x); }},
    Curve{"the reference's, rounded down to whole numbers", [](double x) { return std::floor(x); }},
    Curve{"the hyperbolic tangent of the reference's", [](double x) { return std::tanh(x); }},
    Curve{"the logistic function of the reference's",
          [](double x) { return 1 / (1 + std::exp(-x)); }},
};
constexpr std::array kUnderLine{
    Curve{"e to the power of the reference's", [](double x) { return std::exp(x); }},
    Curve{"10 to the power of the reference's", [](double x) { return std::pow(10, x); }},
    Curve{"10 to the power of a tenth of the reference's",
          [](double x) { return std::pow(10, x / 10); }},
    Curve{"10 to the power of a twentieth of the reference's",
          [](double x) { return std::pow(10, x / 20); }},
    Curve{"2 to the power of the reference's", [](double x) { return std::pow(2, x); }},
    Curve{"the square of the reference's", [](double x) { return x * x; }, false},
    Curve{"the root of the reference's", [](double x) { return std::sqrt(x); }, false},
    Curve{"the logarithm of the reference's", [](double x) { return std::log(x); }},
};

std::optional<Change> cut_off(const Pairs& pairs) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const std::size_t at : pairs.differs)
    for (const float fed : pairs.all[at].fed) low = std::min(low, fed), high = std::max(high, fed);
  if (!(low < high)) return std::nullopt;
  std::size_t below = 0, above = 0;
  const bool fits = reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
    const float wanted = pairs.all[at].wanted[i];
    below += double(wanted) < double(low) - pairs.slack;
    above += double(wanted) > double(high) + pairs.slack;
    return float(clipped(wanted, low, high));
  });
  if (!fits || below + above < 8) return std::nullopt;
  return Change{CauseKind::kValueRange,
                std::string("is cut off ") + (below ? "below " + number(low) : "") +
                    (below && above ? " and " : "") + (above ? "above " + number(high) : "") +
                    "; the reference's is not"};
}

}  // namespace

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

std::optional<Change> other_line(const Pairs& pairs) {
  if (auto change = cast(pairs)) return change;
  for (const bool some : {false, true}) {
    const auto fit = fitted(pairs, some);
    if (!fit) continue;
    auto change = moved(pairs, fit->line);
    if (!change) change = other_codes(pairs, fit->line);
    if (!change)
      change = Change{CauseKind::kValueRange, worded(pairs, fit->line), names_of(pairs, fit->line)};
    if (fit->some) change->detail += ", but for values that are the reference's own";
    return change;
  }
  return std::nullopt;
}

std::optional<Change> lines_by_part(const Pairs& pairs) {
  std::vector<Parts> all;
  for (const Axis& axis : all_axes(pairs.shape)) {
    if (axis.of < 2) continue;
    Parts parts{axis.one(), axis.names(), axis.size, {}};
    for (std::size_t i = 0; i < pairs.values(); ++i) parts.of.push_back(axis.slice(i));
    all.push_back(std::move(parts));
  }
  std::reverse(all.begin(), all.end());
  if (pairs.differs.size() > 1) all.push_back({"frame", "the frame", pairs.differs.size(), {}});
  for (const Parts& parts : all)
    if (const auto lines = lines_of(pairs, parts)) return worded(pairs, parts, *lines);
  return std::nullopt;
}

std::optional<Change> other_curve(const Pairs& pairs) {
  if (auto change = cut_off(pairs)) return change;
  if (pairs.codes) return std::nullopt;
  for (const Curve& curve : kExact)
    if (reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
          return float(curve.of(double(pairs.all[at].wanted[i])));
        }))
      return Change{CauseKind::kValueRange, std::string("is ") + curve.name};
  for (const Curve& curve : kUnderLine) {
    Pairs bent = pairs;
    double high = 0;
    bool finite = true;
    for (Pair& pair : bent.all)
      for (float& value : pair.wanted) value = float(curve.of(double(value)));
    for (const std::size_t at : bent.differs)
      for (std::size_t i = 0; i < bent.values(); ++i) {
        finite = finite && std::isfinite(bent.all[at].wanted[i]);
        high = std::max(high, std::abs(double(bent.all[at].fed[i])));
      }
    if (!finite) continue;
    bent.slack = 1e-4 * high;
    const auto fit = fitted(bent, false, true);
    if (!fit || std::abs(fit->line.gain) < 1e-6) continue;
    bent.slack = 1e-4 * high / std::max(1.0, std::abs(fit->line.gain));
    if (!fitted(bent, false, true)) continue;
    const bool plain = std::abs(fit->line.gain - 1) < 1e-3;
    return Change{curve.is_of_logarithm ? CauseKind::kLogScale : CauseKind::kValueRange,
                  std::string("is ") + curve.name +
                      (plain ? "" : ", times " + number(fit->line.gain)) +
                      (std::abs(fit->line.offset) > 1e-3 * high
                           ? (fit->line.offset < 0 ? ", minus " : ", plus ") +
                                 number(std::abs(fit->line.offset))
                           : "")};
  }
  return std::nullopt;
}

}  // namespace edgeprobe::diagnose::tensors
