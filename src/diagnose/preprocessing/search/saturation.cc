// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/saturation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

using Status = Explanation::Status;

constexpr double kAtEnds = 0.9;         ///< Fraction of codes at the ends of the range.
constexpr std::size_t kFewCodes = 4;    ///< Distinct codes of a saturated input.
constexpr std::size_t kManyCodes = 32;  ///< The reference's codes are at least this distinct.
/// Fraction of codes that may lie beyond a decoder's noise.
constexpr double kStray = 0.005;
/// Gray steps by which two decoders' pixels differ.
constexpr double kNoise = 2;
/// Of the codes rarer than the commonest one, recorded or predicted, the fraction to be predicted
/// exactly: with the same decoder, and with another.
constexpr double kExactly = 0.9, kThroughNoise = 0.5;
constexpr std::size_t kEnoughRare = 4;
/// Ranges whose fractions differ by less cannot be told apart.
constexpr double kAlike = 0.02;
constexpr double kRounding = 0.501;

struct Counts {
  std::size_t distinct = 0;
  double at_ends = 0;
  float commonest = 0;
};

Counts counts_of(const std::vector<float>& codes, const Reference& reference) {
  std::map<float, std::size_t> seen;
  for (const float code : codes) ++seen[code];
  Counts out;
  out.distinct = seen.size();
  std::size_t most = 0, ends = 0;
  for (const auto& [code, n] : seen) {
    if (code == float(reference.lowest) || code == float(reference.highest)) ends += n;
    if (n > most) {
      most = n;
      out.commonest = code;
    }
  }
  out.at_ends = codes.empty() ? 0 : double(ends) / double(codes.size());
  return out;
}

/// How well predicted codes match the recorded ones.
struct Match {
  double stray = 1;   ///< Fraction of values beyond the noise.
  double rare = 0;    ///< Fraction of the rarer codes that are exact.
  std::size_t n = 0;  ///< Number of recorded codes that are not the commonest.
  bool is_constant = false;

  bool fits(bool other_decoder) const {
    return stray <= kStray && n >= kEnoughRare &&
           rare >= (other_decoder ? kThroughNoise : kExactly);
  }
};

Match match(const preprocess::Raster& pixels, const Frame& frame, const Reference& reference,
            const Hypothesis& h) {
  const auto moved = [&](double by) {
    preprocess::Raster raster = pixels;
    for (float& v : raster.values) v = std::clamp(v + float(by), 0.f, 255.f);
    return stored_values(raster, reference, h);
  };
  const auto made = stored_values(pixels, reference, h);
  const auto less = moved(-kNoise), more = moved(kNoise);
  const auto target = target_values(frame, reference, h);
  const float commonest = counts_of(frame.stored, reference).commonest;
  Match out;
  std::size_t stray = 0, rare = 0, exact = 0;
  out.is_constant = true;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    const double code = target.values[i], predicted = made.values[i];
    const double low = std::min(less.values[i], more.values[i]),
                 high = std::max(less.values[i], more.values[i]);
    stray +=
        code < std::min(low, predicted) - kRounding || code > std::max(high, predicted) + kRounding;
    const bool equal = std::abs(code - predicted) <= kRounding;
    out.is_constant = out.is_constant && equal;
    const bool is_rare = target.values[i] != commonest;
    out.n += is_rare;
    if (!is_rare && equal) continue;
    ++rare;
    exact += equal;
  }
  out.stray = double(stray) / double(std::max<std::size_t>(1, made.values.size()));
  out.rare = rare > 0 ? double(exact) / double(rare) : 0;
  return out;
}

/// Ways in which real values become integers without the model's scale and zero point.
std::vector<Range> casts(const Frame& frame, const Reference& reference, float commonest) {
  struct Way {
    const char* name;
    double (*round)(double);
  };
  const Way ways[] = {{"cut off behind the point", [](double v) { return std::trunc(v); }},
                      {"rounded", [](double v) { return std::round(v); }},
                      {"rounded down", [](double v) { return std::floor(v); }}};
  std::vector<Range> found;
  for (const Way& way : ways) {
    std::size_t same = 0, rare = 0, rare_same = 0;
    for (std::size_t i = 0; i < frame.stored.size(); ++i) {
      // The healthy code is rounded: the real value is within half a code of it.
      bool fits = false;
      for (const double off : {-kRounding, 0.0, kRounding}) {
        const double cast =
            way.round((double(frame.healthy[i]) + off - reference.zero_point) * reference.scale);
        const double saturated = std::clamp(cast, reference.lowest, reference.highest);
        const double wrapped = cast - 256 * std::floor((cast - reference.lowest) / 256);
        fits = fits || frame.stored[i] == float(saturated) || frame.stored[i] == float(wrapped);
      }
      same += fits;
      rare += frame.stored[i] != commonest;
      rare_same += fits && frame.stored[i] != commonest;
    }
    const double all = double(frame.stored.size());
    if (double(same) < (1 - kStray) * all || double(rare_same) < kExactly * double(rare)) continue;
    Range range;
    range.kind = CauseKind::kInputQuantization;
    range.name =
        std::string("not quantised: the real values are ") + way.name + " and stored as integers";
    range.unquantized = true;
    range.steps = reference.range_steps;
    range.gain.assign(reference.gain.size(), 1);
    range.offset.assign(reference.gain.size(), 0);
    found.push_back(std::move(range));
    break;
  }
  return found;
}

/// The usual ranges come first. Values cut off behind the point are a cast; rounded ones are as
/// well a range that is too small.
void order(std::vector<Range>& ranges) {
  const auto rank = [](const Range& range) {
    if (range.unquantized) return range.name.find("cut off") != std::string::npos ? 0 : 3;
    return (range.kind == CauseKind::kValueRange ? 2 : 4) + (range.rare || range.composed ? 3 : 0);
  };
  std::stable_sort(ranges.begin(), ranges.end(),
                   [&](const Range& a, const Range& b) { return rank(a) < rank(b); });
}

Hypothesis with_range(Hypothesis h, const Range& range) {
  h.range = range;
  return h;
}

}  // namespace

bool is_saturated(const Frame& frame, const Reference& reference) {
  if (!reference.coded || !std::isfinite(reference.lowest)) return false;
  const Counts target = counts_of(frame.stored, reference),
               healthy = counts_of(frame.healthy, reference);
  if (healthy.distinct <= kManyCodes) return false;
  return target.distinct <= kFewCodes ||
         (target.at_ends >= kAtEnds && healthy.at_ends < target.at_ends / 2);
}

bool predicts_codes(Frame& frame, const Reference& reference, const Hypothesis& h) {
  if (h.range.unquantized)
    return !casts(frame, reference, counts_of(frame.stored, reference).commonest).empty();
  const auto from = pixels(frame, reference, h);
  return from && match(*from, frame, reference, h).fits(frame.lossy);
}

Explanation explain_saturated(Frame& frame, const Reference& reference,
                              const std::vector<Range>& ranges, Explanation start) {
  Explanation e = std::move(start);
  e.destroyed = true;
  const Counts counts = counts_of(frame.stored, reference);
  if (counts.distinct == 1) {
    e.reason = "the recorded input is one constant value";
    return e;
  }
  if (counts.distinct <= kFewCodes) {
    e.measured.push_back({EvidenceKind::kDistinctValues, {{"values", counts.distinct}}});
    e.reason =
        "the recorded input keeps only " + std::to_string(counts.distinct) + " distinct values";
  } else {
    const double low = (reference.lowest - reference.zero_point) * reference.scale,
                 high = (reference.highest - reference.zero_point) * reference.scale;
    e.reason = percent(counts.at_ends) + " of the recorded codes are the ends of their range, " +
               number(low, 3) + ".." + number(high, 3) + ": the app's values lie beyond it";
  }
  e.status = Status::kPartial;
  struct Fitting {
    const Range* range;
    double rare;
  };
  std::vector<Fitting> fitting;
  double best = 0;
  if (const auto from = pixels(frame, reference, e.hypothesis))
    for (const Range& range : ranges) {
      if (!range.kind || range.per_picture) continue;
      const Match found = match(*from, frame, reference, with_range(e.hypothesis, range));
      if (!found.fits(frame.lossy)) continue;
      fitting.push_back({&range, found.rare});
      best = std::max(best, found.rare);
    }
  for (const Fitting& one : fitting)
    if (one.rare >= best - kAlike) e.fitting.push_back(*one.range);
  for (Range& cast : casts(frame, reference, counts.commonest))
    e.fitting.push_back(std::move(cast));
  if (e.fitting.empty()) return e;
  order(e.fitting);
  e.status = Status::kFound;
  e.residual = 0;
  e.hypothesis.range = e.fitting.front();
  e.differences = {{Part::kRange, e.residual_before}};
  return e;
}

std::vector<Range> ranges_of_constant(Frame& frame, const Reference& reference,
                                      const std::vector<Range>& ranges) {
  std::vector<Range> found;
  const Hypothesis own = reference_hypothesis(reference, ranges.front());
  const auto from = pixels(frame, reference, own);
  if (!from) return found;
  for (const Range& range : ranges)
    if (range.kind && !range.per_picture && !range.composed &&
        match(*from, frame, reference, with_range(own, range)).is_constant)
      found.push_back(range);
  order(found);
  return found;
}

}  // namespace edgeprobe::diagnose
