// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sound/measured.h"

#include <algorithm>
#include <cmath>

#include "diagnose/sound/feature_places.h"
#include "diagnose/sound/slopes.h"
#include "diagnose/sound/waveform_places.h"

namespace edgeprobe::diagnose::sound {
namespace {

using audio::FrontEnd;

/// Gauss-Newton in one value on the unrounded output, with a numeric derivative. `in_ln`: varies
/// the value's logarithm. `on_fit`: allows any scale and shift of whole coefficients.
std::optional<FrontEnd> polished(Problem& problem, const FrontEnd& from, double FrontEnd::*member,
                                 double start, double step, bool in_ln, bool on_fit = false) {
  constexpr int kRounds = 5;
  const auto at = [&](double value) {
    FrontEnd f = from;
    f.*member = in_ln ? std::exp(value) : value;
    return f;
  };
  double value = start;
  for (int round = 0; round < kRounds; ++round) {
    const auto here = problem.pairs(at(value)), there = problem.pairs(at(value + step));
    if (here.made.empty() || there.made.size() != here.made.size()) return std::nullopt;
    Slopes line{here.made, here.made};
    for (std::size_t i = 0; i < here.made.size(); ++i) {
      line.slope[i] = (there.made[i] - here.made[i]) / step;
      line.off[i] = here.recorded[i] - here.made[i];
    }
    if (on_fit) leave_lines(here, line);
    double gg = 0, gd = 0;
    for (std::size_t i = 0; i < here.made.size(); ++i) {
      gg += line.slope[i] * line.slope[i];
      gd += line.slope[i] * line.off[i];
    }
    if (!std::isfinite(gg) || !(gg > 0)) return std::nullopt;
    const double most = in_ln ? 4 : 50 * step, move = std::clamp(gd / gg, -most, most);
    value += move;
    if (std::abs(move) < 1e-6) break;
  }
  return at(value);
}

/// Gauss-Newton in gain and DC together: fitting only one leaves the other's difference.
std::optional<FrontEnd> level(Problem& problem, const FrontEnd& from) {
  // Gain or DC has no effect unless the signal is scaled by a factor.
  if (from.scale_by != audio::ScaleBy::kFactor) return std::nullopt;
  constexpr double kGainStep = .02, kDcStep = 20;
  FrontEnd f = from;
  const auto moved = [&](double gain, double dc) {
    FrontEnd other = f;
    other.gain *= std::exp(gain);
    other.dc += dc;
    return problem.pairs(other);
  };
  for (int round = 0; round < 6; ++round) {
    const auto here = moved(0, 0), louder = moved(kGainStep, 0), raised = moved(0, kDcStep);
    if (here.made.empty() || louder.made.size() != here.made.size() ||
        raised.made.size() != here.made.size())
      return std::nullopt;
    double gg = 0, dd = 0, gd = 0, go = 0, dro = 0;
    for (std::size_t i = 0; i < here.made.size(); ++i) {
      const double g = (louder.made[i] - here.made[i]) / kGainStep,
                   d = (raised.made[i] - here.made[i]) / kDcStep,
                   off = here.recorded[i] - here.made[i];
      gg += g * g, dd += d * d, gd += g * d, go += g * off, dro += d * off;
    }
    const double determinant = gg * dd - gd * gd;
    if (!std::isfinite(determinant) || !(determinant > 1e-9 * gg * dd)) return std::nullopt;
    const double gain = std::clamp((go * dd - dro * gd) / determinant, -2.0, 2.0),
                 dc = std::clamp((dro * gg - go * gd) / determinant, -2000.0, 2000.0);
    f.gain *= std::exp(gain);
    f.dc += dc;
    if (std::abs(gain) < 1e-7 && std::abs(dc) < 1e-4) break;
  }
  return f;
}

/// TensorFlow Lite Micro's features depend on earlier frames: tries where the recording begins, in
/// sixteenths of a hop on the fit, then in single samples.
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
  if (from.scale_by != audio::ScaleBy::kFactor) return std::nullopt;
  return polished(problem, from, &FrontEnd::gain, std::log(from.gain), .05, true);
}

std::vector<FrontEnd> measured(Problem& problem, const FrontEnd& from) {
  std::vector<FrontEnd> out;
  const auto keep = [&](const std::optional<FrontEnd>& f) {
    if (f && !(*f == from)) out.push_back(*f);
  };
  keep(polished_gain(problem, from));
  keep(level(problem, from));
  for (const bool on_fit : {false, true}) {
    if (on_fit && from.is_waveform()) break;
    keep(polished(problem, from, &FrontEnd::dc, from.dc, 20, false, on_fit));
    if (from.is_waveform()) continue;
    if (from.log != audio::Log::kMicro && from.log != audio::Log::kNone)
      keep(polished(problem, from, &FrontEnd::floor, std::log(std::max(from.floor, 1e-30)), .1,
                    true, on_fit));
    if (from.preemphasis != 0)
      keep(polished(problem, from, &FrontEnd::preemphasis, from.preemphasis, .005, false, on_fit));
  }
  if (from.is_waveform()) return out;
  for (const FrontEnd& one : edges(problem, from, true)) out.push_back(one);
  return out;
}

std::vector<FrontEnd> places(Problem& problem, const FrontEnd& from, const audio::Clip& clip) {
  if (from.is_waveform()) return waveform_places(problem, from, clip);
  if (from.log != audio::Log::kMicro) return feature_places(problem, from, clip);
  const auto found = position(problem, from);
  return found ? std::vector<FrontEnd>{*found} : std::vector<FrontEnd>{};
}

}  // namespace edgeprobe::diagnose::sound
