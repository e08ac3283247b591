// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/line.h"

namespace edgeprobe::diagnose::tensors {
namespace {

/// Minimum number of values that establish a line.
constexpr std::size_t kFewest = 12;
/// Minimum standard deviation of the fed values in steps, so that a line is not a constant.
constexpr double kFewestSteps = 1.2;
/// Minimum fraction of values on the line if the others are the reference's own.
constexpr double kMostOnLine = 0.5, kMostOfWhole = 0.2;

}  // namespace

std::optional<Fitted> fitted(const Pairs& pairs, bool some, bool bent) {
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
      (some && double(on) < (pairs.codes || is_float(pairs.type) ? kMostOnLine : kMostOfWhole) *
                                double(count)))
    return std::nullopt;
  return Fitted{*line, some && on < count};
}

}  // namespace edgeprobe::diagnose::tensors
