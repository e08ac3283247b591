// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/measured.h"

#include <algorithm>
#include <cmath>

#include "diagnose/sound/waveform_places.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;

/// Gauss-Newton in one number on the unrounded output, with a numeric derivative. `in_ln`: the
/// number's logarithm is what moves.
std::optional<FrontEnd> polished(Problem& problem, const FrontEnd& from, double FrontEnd::*member,
                                 double start, double step, bool in_ln, int rounds) {
  const auto at = [&](double value) {
    FrontEnd f = from;
    f.*member = in_ln ? std::exp(value) : value;
    return f;
  };
  double value = start;
  for (int round = 0; round < rounds; ++round) {
    const auto here = problem.pairs(at(value)), there = problem.pairs(at(value + step));
    if (here.made.empty() || there.made.size() != here.made.size()) return std::nullopt;
    double gg = 0, gd = 0;
    for (std::size_t i = 0; i < here.made.size(); ++i) {
      const double slope = (there.made[i] - here.made[i]) / step;
      gg += slope * slope;
      gd += slope * (here.recorded[i] - here.made[i]);
    }
    if (!std::isfinite(gg) || !(gg > 0)) return std::nullopt;
    const double most = in_ln ? 4 : 50 * step, move = std::clamp(gd / gg, -most, most);
    value += move;
    if (std::abs(move) < 1e-6) break;
  }
  return at(value);
}

/// An edge of the filter bank: a grid on the fit, then golden section around its best.
std::optional<FrontEnd> edge(Problem& problem, const FrontEnd& from, double FrontEnd::*member,
                             double low, double high, double grid) {
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

/// Where the recording begins: steps of a sixteenth of the hop on the fit, then single samples.
std::optional<FrontEnd> position(Problem& problem, const FrontEnd& from) {
  const auto at = [&](int skip) {
    FrontEnd f = from;
    f.skip = skip;
    return f;
  };
  const int step = std::max(from.hop / 16, 4);
  int best = from.skip;
  double least = problem.score(at(best)).fit;
  const auto look = [&](int first, int last, int stride) {
    for (int skip = first; skip <= last; skip += stride)
      if (const double fit = problem.score(at(skip)).fit; fit < least) {
        least = fit;
        best = skip;
      }
  };
  look(from.skip - 8 * from.hop, from.skip + 8 * from.hop, 4 * step);
  look(best - 4 * step, best + 4 * step, step);
  look(best - step, best + step, 4);
  look(best - 4, best + 4, 1);
  if (best == from.skip) return std::nullopt;
  return at(best);
}

}  // namespace

std::optional<FrontEnd> polished_gain(Problem& problem, const FrontEnd& from) {
  return polished(problem, from, &FrontEnd::gain, std::log(from.gain), .05, true, 5);
}

std::vector<FrontEnd> measured(Problem& problem, const FrontEnd& from, const audio::Clip& clip) {
  std::vector<FrontEnd> out;
  const auto keep = [&](const std::optional<FrontEnd>& f) {
    if (f && !(*f == from)) out.push_back(*f);
  };
  keep(polished_gain(problem, from));
  keep(polished(problem, from, &FrontEnd::dc, from.dc, 20, false, 5));
  if (from.is_waveform()) {
    for (const FrontEnd& placed : waveform_places(problem, from, clip)) out.push_back(placed);
    return out;
  }
  if (from.log != audio::Log::kMicro && from.log != audio::Log::kNone)
    keep(polished(problem, from, &FrontEnd::floor, std::log(std::max(from.floor, 1e-30)), .1, true,
                  5));
  if (from.preemphasis != 0)
    keep(polished(problem, from, &FrontEnd::preemphasis, from.preemphasis, .005, false, 5));
  keep(edge(problem, from, &FrontEnd::fmax, std::max(from.fmin + 500, from.rate / 8), from.rate / 2,
            250));
  keep(edge(problem, from, &FrontEnd::fmin, 0, std::min(400., from.fmax / 2), 25));
  keep(position(problem, from));
  return out;
}

}  // namespace edgeprobe::diagnose::sound
