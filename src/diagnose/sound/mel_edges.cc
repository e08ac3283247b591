// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "diagnose/sound/measured.h"
#include "diagnose/sound/slopes.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;

/// An edge of the filter bank: a grid on the fit, then a golden-section search around the best if
/// `fine`.
std::optional<FrontEnd> edge(Problem& problem, const FrontEnd& from, double FrontEnd::*member,
                             double low, double high, double grid, bool fine) {
  const auto at = [&](double value) {
    FrontEnd f = from;
    f.*member = value;
    return f;
  };
  double best = low, least = problem.score(at(low)).fit;
  for (double value = low + grid; value <= high + 1e-9; value += grid)
    if (const double fit = problem.score(at(value)).fit; fit < least) {
      least = fit;
      best = value;
    }
  if (!std::isfinite(least)) return std::nullopt;
  if (!fine) return at(best);
  double a = std::max(low, best - grid), b = std::min(high, best + grid);
  for (int i = 0; i < 18; ++i) {
    const double left = b - .618034 * (b - a), right = a + .618034 * (b - a);
    if (problem.score(at(left)).fit < problem.score(at(right)).fit) b = right;
    else a = left;
  }
  const double value = (a + b) / 2, whole = std::round(value * 2) / 2;
  FrontEnd rounded = at(whole);
  if (problem.score(rounded).fit <= problem.score(at(value)).fit * 1.05) return rounded;
  return at(value);
}

/// Gauss-Newton in both edges, from close values, with any scale and shift of coefficients. Each
/// edge moves all filters, so adjusting them in turn converges slowly.
FrontEnd sharpened(Problem& problem, FrontEnd f) {
  constexpr double kStep = 2;
  constexpr int kRounds = 6;
  const auto moved = [&](double low, double high) {
    FrontEnd other = f;
    other.fmin += low;
    other.fmax += high;
    return problem.pairs(other);
  };
  for (int round = 0; round < kRounds; ++round) {
    const bool at_top = f.fmax + kStep > f.rate / 2;
    const double up = at_top ? -kStep : kStep;
    const auto here = moved(0, 0), low = moved(kStep, 0), high = moved(0, up);
    if (here.made.empty() || low.made.size() != here.made.size() ||
        high.made.size() != here.made.size())
      return f;
    Slopes by_low{here.made, here.made}, by_high{here.made, here.made};
    for (std::size_t i = 0; i < here.made.size(); ++i) {
      by_low.slope[i] = (low.made[i] - here.made[i]) / kStep;
      by_high.slope[i] = (high.made[i] - here.made[i]) / up;
      by_low.off[i] = by_high.off[i] = here.recorded[i] - here.made[i];
    }
    leave_lines(here, by_low);
    leave_lines(here, by_high);
    double ll = 0, hh = 0, lh = 0, lo = 0, ho = 0;
    for (std::size_t i = 0; i < here.made.size(); ++i) {
      const double l = by_low.slope[i], h = by_high.slope[i], off = by_low.off[i];
      ll += l * l, hh += h * h, lh += l * h, lo += l * off, ho += h * off;
    }
    const double determinant = ll * hh - lh * lh;
    if (!std::isfinite(determinant) || !(determinant > 1e-9 * ll * hh)) return f;
    FrontEnd next = f;
    next.fmin = std::max(0.0, f.fmin + std::clamp((lo * hh - ho * lh) / determinant, -50.0, 50.0));
    next.fmax =
        std::min(f.rate / 2, f.fmax + std::clamp((ho * ll - lo * lh) / determinant, -200.0, 200.0));
    if (!(problem.score(next).fit < problem.score(f).fit)) break;
    f = next;
  }
  return f;
}

/// Rounds to values that people write, if they fit as well.
FrontEnd rounded(Problem& problem, const FrontEnd& from) {
  constexpr double kUnits[] = {100, 50, 10, 5, 1};
  const double most = std::max(1.05 * problem.score(from).fit, .2 * problem.fit_tau());
  FrontEnd best = from;
  // Adjusts the upper edge again: it partly compensated for the lower one.
  for (double FrontEnd::*const member : {&FrontEnd::fmax, &FrontEnd::fmin, &FrontEnd::fmax})
    for (const double unit : kUnits) {
      FrontEnd f = best;
      f.*member = std::round(from.*member / unit) * unit;
      if (problem.score(f).fit > most) continue;
      best = f;
      break;
    }
  return best;
}

}  // namespace

std::vector<FrontEnd> edges(Problem& problem, const FrontEnd& from, bool fine) {
  std::vector<FrontEnd> out;
  const double least = std::max(from.fmin + 500, from.rate / 8),
               most = std::min(400., from.fmax / 2);
  for (const auto& f : {edge(problem, from, &FrontEnd::fmax, least, from.rate / 2, 250, fine),
                        edge(problem, from, &FrontEnd::fmin, 0, most, 25, fine)})
    if (f && !(*f == from)) out.push_back(*f);
  return out;
}

std::vector<FrontEnd> both_edges(Problem& problem, const FrontEnd& from) {
  if (from.is_waveform()) return {};
  const double least = std::max(from.fmin + 500, from.rate / 8),
               most = std::min(400., from.fmax / 2);
  // The upper edge can be found while the lower one is wrong, which affects few filters.
  FrontEnd both = from;
  for (const auto& [member, low, high, grid] :
       {std::tuple(&FrontEnd::fmax, least, from.rate / 2, 250.),
        std::tuple(&FrontEnd::fmin, 0., most, 25.)})
    if (const auto f = edge(problem, both, member, low, high, grid, true)) both = *f;
  both = rounded(problem, sharpened(problem, both));
  if (both.fmin == from.fmin || both.fmax == from.fmax) return {};
  return {both};
}

}  // namespace edgeprobe::diagnose::sound
