// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/saturation.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/model/color.h"
#include "diagnose/preprocessing/search/codes_match.h"

namespace edgeprobe::diagnose {
namespace {

using Status = Explanation::Status;

constexpr double kAtEnds = 0.9;         ///< Fraction of codes at the ends of the range.
constexpr std::size_t kFewCodes = 4;    ///< Distinct codes of a saturated input.
constexpr std::size_t kManyCodes = 32;  ///< The reference's codes are at least this distinct.
/// Codes other than the commonest that 16 hypotheses (turned, channels exchanged) need.
constexpr std::size_t kEnoughToTurn = 64;
/// Ranges whose fractions differ by less are equivalent.
constexpr double kAlike = 0.02;

/// Values truncated to whole numbers are a cast; rounded ones may also be a range that is too
/// small.
int rank(const Range& range) {
  if (range.unquantized) return range.rare ? 3 : 0;
  return (range.kind == CauseKind::kValueRange ? 2 : 4) + (range.rare || range.composed ? 3 : 0);
}

Hypothesis with_range(Hypothesis h, const Range& range) {
  h.range = range;
  return h;
}

/// The reference's hypothesis with its channels exchanged, turned or mirrored; without itself.
std::vector<Hypothesis> variants(const Hypothesis& own, const Reference& reference,
                                 const Frame& frame) {
  std::vector<Mixing> mixings = {own.mixing};
  for (const Mixing& mixing : usual_mixings(reference, frame.channels()))
    if (mixing.order && own.mixing.order && *mixing.order != *own.mixing.order &&
        std::equal(mixing.rows.rbegin(), mixing.rows.rend(), own.mixing.rows.begin(),
                   own.mixing.rows.end()))
      mixings.push_back(mixing);
  std::vector<Hypothesis> out;
  for (const Mixing& mixing : mixings)
    for (Orientation turn = 0; turn < kOrientations; ++turn) {
      if (turn == 0 && mixing == own.mixing) continue;
      Hypothesis h = own;
      h.mixing = mixing;
      h.orientation = then(own.orientation, turn);
      out.push_back(std::move(h));
    }
  return out;
}

struct Fitting {
  Hypothesis hypothesis;
  double rare = 0;
};

/// The ranges that predict the codes, given all other parts of the hypothesis.
std::vector<Fitting> fitting_ranges(Frame& frame, const Reference& reference, const Hypothesis& h,
                                    const std::vector<Range>& ranges, bool only_usual) {
  std::vector<Fitting> out;
  const auto from = pixels(frame, reference, h);
  if (!from) return out;
  const float commonest = counts_of(frame.stored, reference).commonest;
  for (const Range& range : ranges) {
    if (!range.kind || range.per_picture || (only_usual && (range.rare || range.composed)))
      continue;
    Hypothesis with_it = with_range(h, range);
    const CodesMatch found = match(*from, frame, reference, with_it, commonest);
    if (found.fits(frame.lossy) && (!only_usual || found.n >= kEnoughToTurn))
      out.push_back({std::move(with_it), found.rare});
  }
  return out;
}

}  // namespace

bool is_saturated(const Frame& frame, const Reference& reference) {
  if (!reference.coded || !std::isfinite(reference.lowest)) return false;
  const CodeCounts target = counts_of(frame.stored, reference),
                   healthy = counts_of(frame.healthy, reference);
  if (healthy.distinct <= kManyCodes) return false;
  return target.distinct <= kFewCodes ||
         (target.at_ends >= kAtEnds && healthy.at_ends < target.at_ends / 2);
}

bool predicts_codes(Frame& frame, const Reference& reference, const Hypothesis& h) {
  const float commonest = counts_of(frame.stored, reference).commonest;
  if (h.range.unquantized) return cast_of(frame, reference, commonest).has_value();
  const auto from = pixels(frame, reference, h);
  return from && match(*from, frame, reference, h, commonest).fits(frame.lossy);
}

Explanation explain_saturated(Frame& frame, const Reference& reference,
                              const std::vector<Range>& ranges, Explanation start) {
  Explanation e = std::move(start);
  e.destroyed = true;
  const CodeCounts counts = counts_of(frame.stored, reference);
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
               number(low, 3) + ".." + number(high, 3) + ": the app's values exceed it";
  }
  e.status = Status::kPartial;
  std::vector<Fitting> fitting =
      fitting_ranges(frame, reference, e.hypothesis, ranges, /*only_usual=*/false);
  const auto cast = cast_of(frame, reference, counts.commonest);
  if (fitting.empty() && !cast)
    for (const Hypothesis& h : variants(e.hypothesis, reference, frame))
      for (Fitting& one : fitting_ranges(frame, reference, h, ranges, /*only_usual=*/true))
        fitting.push_back(std::move(one));
  double best = 0;
  for (const Fitting& one : fitting) best = std::max(best, one.rare);
  for (Fitting& one : fitting)
    if (one.rare >= best - kAlike) e.fitting.push_back(std::move(one.hypothesis));
  if (cast) e.fitting.push_back(with_range(e.hypothesis, *cast));
  if (e.fitting.empty()) return e;
  std::stable_sort(
      e.fitting.begin(), e.fitting.end(),
      [](const Hypothesis& a, const Hypothesis& b) { return rank(a.range) < rank(b.range); });
  e.status = Status::kFound;
  e.residual = 0;
  e.hypothesis = e.fitting.front();
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
        match(*from, frame, reference, with_range(own, range), frame.stored.front()).all_equal)
      found.push_back(range);
  std::stable_sort(found.begin(), found.end(),
                   [](const Range& a, const Range& b) { return rank(a) < rank(b); });
  return found;
}

}  // namespace edgeprobe::diagnose
