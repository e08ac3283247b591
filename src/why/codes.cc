// SPDX-License-Identifier: Apache-2.0
#include "why/codes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/integer_limits.h"
#include "core/text.h"
#include "diagnose/tensors/line.h"

namespace edgeprobe::why {
namespace {

using diagnose::CauseKind;
using diagnose::tensors::LineFit;

/// Minimum number of values, and of distinct ones, to recognise a scale.
constexpr std::size_t kFewest = 32, kFewestCodes = 8;
/// Tolerance beyond half a code, for how the division was computed.
constexpr double kSlack = 0.005;

bool is_code_type(DType type) { return code_limits(type).has_value(); }

/// int8 against uint8: equal bits, or 128 apart.
std::optional<Answer> other_sign(const Sides& sides) {
  const DType mine = sides.app.spec.dtype, theirs = sides.reference.spec.dtype;
  const bool are_bytes = (mine == DType::kInt8 && theirs == DType::kUInt8) ||
                         (mine == DType::kUInt8 && theirs == DType::kInt8);
  if (!are_bytes) return std::nullopt;
  bool same_bits = true, apart = true, both_halves = false;
  for (std::size_t i = 0; i < sides.fed.size(); ++i) {
    const int a = int(sides.fed[i]), b = int(sides.wanted()[i]);
    same_bits = same_bits && ((a ^ b) & 0xff) == 0;
    apart = apart && a - b == (mine == DType::kInt8 ? -128 : 128);
    both_halves = both_halves || a < 0 || b < 0;
  }
  const std::string types = std::string(name(mine)) + " where the reference's are " + name(theirs);
  if (same_bits && both_halves)
    return named(CauseKind::kInputQuantization,
                 "the app's bytes are the reference's, read as " + types, {1, 1, 0, "code"});
  if (!apart) return std::nullopt;
  Answer out = named(CauseKind::kInputQuantization,
                     "the app's codes are the reference's " +
                         std::string(mine == DType::kInt8 ? "minus 128" : "plus 128") + ": " +
                         types + ", the zero point 128 apart",
                     {1, 1, 0, "code"});
  out.would_decide.push_back(
      "the type, scale and zero point of the model's input (edgeprobe inspect MODEL): with zero "
      "points 128 apart both are one input");
  return out;
}

struct Codes {
  double scale = 0, zero = 0;
  std::optional<double> other_zero = {};  ///< Another zero point with the same codes.
  bool cut = false;                       ///< Rounded down instead of to nearest.
  double largest = 0;
};

/// Limits of 1/scale for which every code is the nearest to its value, or the one below it.
struct Bounds {
  double low = 0, high = std::numeric_limits<double>::infinity();

  void at_least(double value) { low = std::max(low, value); }
  void at_most(double value) { high = std::min(high, value); }
  bool hold() const { return low <= high && high < std::numeric_limits<double>::infinity(); }
};

Bounds bounds_of(const std::vector<float>& codes, const std::vector<float>& real,
                 const IntegerLimits& limits, double zero, bool cut) {
  Bounds out;
  for (std::size_t i = 0; i < codes.size() && out.low <= out.high; ++i) {
    const double d = double(codes[i]) - zero, value = real[i];
    const double slack = kSlack + 2e-7 * std::abs(d);
    const double from = d - (cut ? 0 : 0.5) - slack, to = d + (cut ? 1 : 0.5) + slack;
    // The smallest and the largest code include everything beyond.
    const bool lowest = double(codes[i]) <= double(limits.least),
               highest = double(codes[i]) >= double(limits.most);
    if (value == 0) {
      if ((from > 0 && !lowest) || (to < 0 && !highest)) return {1, 0};
      continue;
    }
    if (!lowest) value > 0 ? out.at_least(from / value) : out.at_most(from / value);
    if (!highest) value > 0 ? out.at_most(to / value) : out.at_least(to / value);
  }
  return out;
}

/// The roundest number between.
double inverse_scale(const Bounds& bounds) {
  for (const double usual : {255.0, 127.5, 128.0, 256.0, 1.0, 127.0, 64.0, 32.0})
    if (usual >= bounds.low && usual <= bounds.high) return usual;
  return (bounds.low + bounds.high) / 2;
}

std::optional<Codes> fitted(const std::vector<float>& codes, const std::vector<float>& real,
                            const IntegerLimits& limits) {
  LineFit fit;
  std::set<float> distinct;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const bool at_end =
        double(codes[i]) <= double(limits.least) || double(codes[i]) >= double(limits.most);
    if (!std::isfinite(real[i])) return std::nullopt;
    if (at_end) continue;
    fit.add(codes[i], real[i]);
    if (distinct.size() < kFewestCodes) distinct.insert(codes[i]);
  }
  const auto line = fit.line();
  if (!line || fit.count() < kFewest || distinct.size() < kFewestCodes || !(line->gain > 0))
    return std::nullopt;
  const double middle = -line->offset / line->gain;
  if (!(std::abs(middle) < 1e6)) return std::nullopt;
  for (const bool cut : {false, true}) {
    std::optional<Codes> found;
    for (const double by : {0.0, 1.0, -1.0}) {
      const double zero = std::round(middle + (cut ? 0.5 : 0)) + by;
      const Bounds bounds = bounds_of(codes, real, limits, zero, cut);
      if (!bounds.hold()) continue;
      if (found) found->other_zero = zero;
      else found = Codes{1 / inverse_scale(bounds), zero, std::nullopt, cut, 0};
    }
    if (!found) continue;
    for (std::size_t i = 0; i < codes.size(); ++i)
      if (double(codes[i]) > double(limits.least) && double(codes[i]) < double(limits.most))
        found->largest = std::max(found->largest, std::abs(double(codes[i]) - found->zero -
                                                           double(real[i]) / found->scale));
    return found;
  }
  return std::nullopt;
}

/// "uint8 codes: with scale 0.00392 and zero point 0 they are ".
std::string codes_text(const Side& of, double scale, const std::string& zero_point) {
  return std::string("tensor holds ") + name(of.spec.dtype) + " codes: with scale " +
         number(scale) + " and zero point " + zero_point + " they are ";
}

std::string whole_text(double zero) { return number(zero == 0 ? 0 : zero, 6); }

constexpr const char* kDecides =
    "the scale and zero point of the model's input (edgeprobe inspect MODEL): if they are these, "
    "both are one input";

}  // namespace

std::optional<Answer> by_codes(const Sides& sides) {
  if (auto out = other_sign(sides)) return out;
  const bool mine = is_code_type(sides.app.spec.dtype),
             theirs = is_code_type(sides.reference.spec.dtype);
  const bool real = is_float(mine ? sides.reference.spec.dtype : sides.app.spec.dtype);
  if (mine == theirs || !real) return std::nullopt;
  const Side& coded = mine ? sides.app : sides.reference;
  const auto limits = code_limits(coded.spec.dtype);
  const auto codes = mine ? fitted(sides.fed, sides.wanted(), *limits)
                          : fitted(sides.wanted(), sides.fed, *limits);
  if (!codes) return std::nullopt;
  const std::string who = mine ? "the app's " : "the reference's ",
                    other = mine ? "the reference's values" : "the app's values";
  const bool plain = std::abs(codes->scale - 1) < 1e-4 && codes->zero == 0;
  std::string zero = whole_text(codes->zero);
  if (codes->other_zero) zero += " or " + whole_text(*codes->other_zero);
  const std::string how = codes->cut ? ", rounded down instead of to the nearest" : "";
  Answer out = named(plain ? CauseKind::kValueRange : CauseKind::kInputQuantization,
                     plain ? who + "tensor holds " + other + " as whole numbers" +
                                 (codes->cut ? ", cut off behind the point" : ", rounded")
                           : who + codes_text(coded, codes->scale, zero) + other + how,
                     {1, 1, codes->largest, "code"});
  if (plain && codes->largest < 1e-3) {
    out.outcome = diagnose::Outcome::kAgrees;
    out.causes.clear();
    out.headline = std::string("equal: the same whole numbers, as ") + name(sides.app.spec.dtype) +
                   " and " + name(sides.reference.spec.dtype);
  } else if (!plain) {
    out.would_decide.push_back(kDecides);
  }
  return out;
}

namespace {

struct Scale {
  double scale = 0, zero = 0;
};
/// The common scale and zero point with which `values` follow from `coded`, by channel.
std::optional<Scale> common_scale(const PixelLines& coded, const PixelLines& values) {
  constexpr double kSameScale = 0.01, kSameZero = 0.5;
  std::vector<Scale> all;
  for (std::size_t c = 0; c < coded.channels.size(); ++c) {
    const auto at = std::find(values.channels.begin(), values.channels.end(), coded.channels[c]);
    if (at == values.channels.end()) return std::nullopt;
    const auto from = std::size_t(at - values.channels.begin());
    const double scale = values.gain[from] / coded.gain[c];
    if (!(scale > 0)) return std::nullopt;
    all.push_back({scale, coded.offset[c] - values.offset[from] / scale});
  }
  Scale mean;
  for (const Scale& one : all) {
    if (std::abs(one.scale / all[0].scale - 1) > kSameScale ||
        std::abs(one.zero - all[0].zero) > kSameZero)
      return std::nullopt;
    mean.scale += one.scale / double(all.size());
    mean.zero += one.zero / double(all.size());
  }
  // Fitted lines slightly miss an integer zero point.
  const bool is_fitted = all.back().scale != all.front().scale;
  if (is_fitted) mean.zero = std::round(mean.zero);
  return mean;
}

std::string zero_text(double zero) {
  const double below = std::floor(zero + 1e-6);
  if (std::abs(zero - std::round(zero)) < 1e-3) return whole_text(std::round(zero));
  return number(zero) + " (a model has " + whole_text(below) + " or " + whole_text(below + 1) + ")";
}

}  // namespace

void name_codes(Answer& answer, const Sides& sides, const PixelLines& app,
                const PixelLines& reference) {
  const bool mine = is_code_type(sides.app.spec.dtype),
             theirs = is_code_type(sides.reference.spec.dtype);
  const bool real = is_float(mine ? sides.reference.spec.dtype : sides.app.spec.dtype);
  if (mine == theirs || !real) return;
  const auto scale = mine ? common_scale(app, reference) : common_scale(reference, app);
  if (!scale) return;
  for (diagnose::Cause& cause : answer.causes) {
    if (cause.kind != CauseKind::kValueRange) continue;
    cause.kind = CauseKind::kInputQuantization;
    cause.detail =
        std::string(mine ? "the app's " : "the reference's ") +
        codes_text(mine ? sides.app : sides.reference, scale->scale, zero_text(scale->zero)) +
        (mine ? "the reference's values" : "the app's values");
    cause.alternatives.clear();
    cause.fix_step.clear();
    answer.would_decide.push_back(kDecides);
  }
}

}  // namespace edgeprobe::why
