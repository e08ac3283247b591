// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/text.h"
#include "diagnose/tensors/changes.h"
#include "diagnose/tensors/line.h"

namespace edgeprobe::diagnose::tensors {
namespace {

double clipped(double value, double low, double high) {
  return std::min(std::max(value, low), high);
}

/// A function of the value.
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

std::optional<Change> other_curve(const Pairs& pairs) {
  if (auto change = cut_off(pairs)) return change;
  if (pairs.codes) return std::nullopt;
  for (const Curve& curve : kExact)
    if (reproduces(pairs, 1, [&](std::size_t at, std::size_t i) {
          return float(curve.of(double(pairs.all[at].wanted[i])));
        }))
      return Change{CauseKind::kValueRange, std::string("is ") + curve.name};
  Pairs bent = pairs;
  double high = 0;
  for (const std::size_t at : pairs.differs)
    for (const float fed : pairs.all[at].fed) high = std::max(high, std::abs(double(fed)));
  for (const Curve& curve : kUnderLine) {
    bool finite = true;
    for (const std::size_t at : pairs.differs)
      for (std::size_t i = 0; i < pairs.values(); ++i) {
        float& value = bent.all[at].wanted[i];
        value = float(curve.of(double(pairs.all[at].wanted[i])));
        finite = finite && std::isfinite(value);
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
