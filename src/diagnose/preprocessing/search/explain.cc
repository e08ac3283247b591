// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnose/preprocessing/search/framings.h"
#include "diagnose/preprocessing/search/search.h"
#include "diagnose/preprocessing/search/tone_step.h"

namespace edgeprobe::diagnose {
namespace {

using Status = Explanation::Status;

/// A curve or a colour conversion must leave less than this fraction of the residual.
constexpr double kToneStepGain = 0.85;
/// A framing in whole pixels must leave less than this fraction of the residual.
constexpr double kNearer = 0.87;
/// R² of a picture aligned to within several pixels.
constexpr double kAligned = 0.8;
/// Above this many gray steps, no other kernel can make the fit exact.
constexpr double kHopeless = 8;
/// Number of curves and conversions tried with every kernel.
constexpr std::size_t kToneSteps = 3;
constexpr std::size_t kOnPicture = 4;  ///< Number of those tried on the whole picture.

/// Search state for one frame: the known facts, and the best explanation so far.
struct Search {
  Frame& frame;
  const Reference& reference;
  const std::vector<Range>& ranges;
  Explanation start;  ///< `residual_before` and the reference's own hypothesis.
  Explanation best;
  Interpretation interpretation;  ///< How the target's memory is read for the best geometry.
  std::vector<Placement> placements;
  std::vector<Trial> trials;
  bool decoder_band = false;

  bool is_exact(const Explanation& e) const {
    return e.status == Status::kFound && e.residual <= allowed(kExact, reference, e.hypothesis);
  }
  bool done() const { return is_exact(best); }
  Look own_look() const { return {frame.look.decode, own_first()}; }
  ToneStep own_tone_step() const {
    ToneStep tone_step;
    if (reference.tone_step && !reference.tone_step_first) tone_step.step = reference.tone_step;
    return tone_step;
  }
  std::optional<preprocess::Step> own_first() const {
    return reference.tone_step_first ? reference.tone_step : std::nullopt;
  }
  Explanation completed(const Interpretation& as_read, const std::vector<Trial>& found,
                        const std::optional<preprocess::Step>& first) {
    return name_explanation(frame, reference, ranges,
                            {&as_read, &found, {frame.look.decode, first}}, start);
  }
};

/// True if a later hypothesis explains clearly more than the earlier, simpler one.
bool is_better(const Search& s, const Explanation& next, double share) {
  if (next.status == Status::kUndecidable) return false;
  if (s.best.status == Status::kUndecidable) return true;
  const bool next_found = next.status == Status::kFound,
             best_found = s.best.status == Status::kFound;
  if (next_found && !best_found) return s.is_exact(next) || next.residual < share * s.best.residual;
  if (!next_found && best_found) return false;
  return next.residual < share * s.best.residual;
}

/// Tries framings that the coarse search cannot distinguish from the earlier ones.
void try_framings(Search& s, const std::vector<Framing>& framings) {
  Frame& seen = *seen_as(s.frame, s.own_look());
  const auto placements = nearest_placements(seen, s.reference, s.interpretation, framings,
                                             s.trials.front(), s.own_tone_step());
  if (placements.empty()) return;
  auto found = try_resamplings(seen, s.reference, s.interpretation, placements,
                               usual_resamplings(s.reference), s.own_tone_step());
  if (found.empty() || found.front().fit.residual > kNearer * s.trials.front().fit.residual) return;
  auto next = s.completed(s.interpretation, found, s.own_first());
  if (!is_better(s, next, kNearer)) return;
  s.best = std::move(next);
  s.trials = std::move(found);
}

/// Tries the best geometry shifted by a pixel: an extra crop, a picture read one row late. Accepts
/// only exact fits.
void try_neighbours(Search& s) {
  const Trial& plain = s.trials.front();
  if (plain.fit.r2 < kAligned || plain.placement.framing.has_letterbox() ||
      plain.placement.turned_last)
    return;
  Frame& seen = *seen_as(s.frame, s.own_look());
  const bool swap = swaps_sides(plain.placement.orientation);
  const auto framings =
      pixel_neighbours(plain.placement.framing, swap ? seen.upright.width : seen.upright.height,
                       swap ? seen.upright.height : seen.upright.width);
  auto placements =
      nearest_placements(seen, s.reference, s.interpretation, framings, plain, s.own_tone_step());
  if (placements.empty()) return;
  auto found = try_resamplings(seen, s.reference, s.interpretation, placements,
                               usual_resamplings(s.reference), s.own_tone_step());
  // The shift may be right and its kind of border wrong.
  if (found.empty() || found.front().fit.residual > kNearer * plain.fit.residual) return;
  for (const Framing& other : with_other_edges(found.front().placement.framing)) {
    const Effort all{1, false, s.reference.rounding != preprocess::Rounding::kFloat};
    if (auto trial = try_geometry(seen, s.reference, s.interpretation,
                                  {other, found.front().placement.orientation, false},
                                  found.front().resampling, s.own_tone_step(), all);
        trial && trial->fit.residual < found.front().fit.residual)
      found.insert(found.begin(), std::move(*trial));
  }
  auto next = s.completed(s.interpretation, found, s.own_first());
  if (!s.is_exact(next) || !is_better(s, next, 0.5)) return;
  s.best = std::move(next);
  s.trials = std::move(found);
}

/// Tries rare kernels, and pictures rotated after the framing.
void try_rare(Search& s) {
  auto kernels = rare_resamplings(s.reference);
  auto found = try_resamplings(*seen_as(s.frame, s.own_look()), s.reference, s.interpretation,
                               s.placements, kernels, s.own_tone_step());
  std::vector<Placement> turned;
  for (const Placement& placement : s.placements)
    if (placement.orientation != 0)
      turned.push_back({placement.framing, placement.orientation, true});
  if (!turned.empty()) {
    auto last = try_resamplings(*seen_as(s.frame, s.own_look()), s.reference, s.interpretation,
                                turned, usual_resamplings(s.reference), s.own_tone_step());
    found.insert(found.end(), last.begin(), last.end());
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trial& a, const Trial& b) { return a.fit.residual < b.fit.residual; });
  if (found.empty() || found.front().fit.residual > 0.7 * s.trials.front().fit.residual) return;
  auto next = s.completed(s.interpretation, found, s.own_first());
  if (is_better(s, next, 0.7)) {
    s.best = std::move(next);
    s.trials = std::move(found);
  }
}

/// Adds rare kernels that cannot be distinguished from the named one.
void add_rare_alternatives(Search& s) {
  Explanation& e = s.best;
  if (e.hypothesis.resampling == s.reference.resampling) return;
  const Placement placement{e.hypothesis.framing, e.hypothesis.orientation,
                            e.hypothesis.turned_last};
  double least = 1e300;
  for (const Trial& trial : s.trials)
    if (trial.resampling == e.hypothesis.resampling) least = std::min(least, trial.fit.residual);
  for (const Trial& trial :
       try_resamplings(*seen_as(s.frame, s.own_look()), s.reference, s.interpretation, {placement},
                       rare_resamplings(s.reference), s.own_tone_step()))
    if (trial.fit.residual <= least + kSame) e.same_kernels.push_back(trial.resampling);
}

/// The best tone steps, worth trying with every kernel.
std::vector<ToneStep> worth_trying(const std::vector<RankedToneStep>& ranks, double limit) {
  std::vector<ToneStep> tone_steps;
  for (const RankedToneStep& ranked : ranks)
    if (tone_steps.size() < kToneSteps && ranked.residual <= limit &&
        ranked.residual <= 1.3 * ranks.front().residual + 0.3)
      tone_steps.push_back(ranked.tone_step);
  return tone_steps;
}

/// Tries curves and colour conversions after the geometry, or before it on the whole picture.
void try_tone_step_layers(Search& s, const Interpretation& as_read, const std::vector<Trial>& plain,
                          double plain_residual) {
  const auto ranks = rank_tone_steps(s.frame, s.reference, as_read, plain);
  if (ranks.empty()) return;
  std::vector<Placement> placements;
  for (const Trial& trial : plain)
    if (std::find(placements.begin(), placements.end(), trial.placement) == placements.end())
      placements.push_back(trial.placement);
  // Tries the usual kernels first, then the rare ones if the fit is not exact.
  const auto try_all = [&](const std::vector<ToneStep>& tone_steps, bool first) {
    for (const auto& kernels : {usual_resamplings(s.reference), rare_resamplings(s.reference)})
      for (const ToneStep& tone_step : tone_steps) {
        Frame* seen = first ? seen_as(s.frame, {s.frame.look.decode, tone_step.step}) : &s.frame;
        const auto found = seen ? try_resamplings(*seen, s.reference, as_read, placements, kernels,
                                                  first ? ToneStep{} : tone_step)
                                : std::vector<Trial>{};
        if (found.empty() || found.front().fit.residual > kHopeless) continue;
        auto next = s.completed(as_read, found, first ? tone_step.step : std::nullopt);
        if (s.is_exact(next) && is_better(s, next, 0.7)) s.best = std::move(next);
        if (s.done()) return;
      }
  };
  try_all(worth_trying(ranks, std::min(kToneStepGain * plain_residual, kHopeless)), false);
  if (s.done() && s.best.residual <= 0.2) return;
  // The same tone steps on the whole picture, where they saturate, as in an image decoder or a
  // camera.
  std::vector<ToneStep> tone_steps;
  for (const RankedToneStep& ranked : ranks)
    if (tone_steps.size() < kOnPicture && ranked.residual <= 1.5 * ranks.front().residual + 0.3)
      tone_steps.push_back(ranked.tone_step);
  // Low bits lost before the resize hardly show after it.
  if (plain_residual <= 2 * kDecoder && s.frame.channels() == 3 &&
      !is_gray_target(s.frame, as_read)) {
    const auto lost = fewer_bits();
    tone_steps.insert(tone_steps.end(), lost.begin(), lost.end());
  }
  const auto on_picture = rank_on_picture(s.frame, s.reference, as_read, plain, tone_steps);
  try_all(
      worth_trying(on_picture,
                   std::min(std::max(plain_residual, ranks.front().residual) + kSame, kHopeless)),
      true);
}

/// Tries windows of the picture that are not a usual framing.
void try_window_layer(Search& s) {
  Frame& seen = *seen_as(s.frame, s.own_look());
  const auto look = [&](const Interpretation& as_read,
                        Orientation orientation) -> std::vector<Trial> {
    auto found = try_windows(seen, s.reference, as_read, orientation, s.own_tone_step());
    if (found.empty() || found.front().fit.residual * 1.15 >= s.trials.front().fit.residual)
      return {};
    return found;
  };
  auto found = look(s.interpretation, s.trials.front().placement.orientation);
  Interpretation declared;
  const Interpretation* as_read = &s.interpretation;
  // An unusual window may also mislead the coarse search about the memory order.
  const double left = found.empty() ? s.trials.front().fit.residual : found.front().fit.residual;
  if (left > allowed(kExact, s.reference) &&
      (s.interpretation.order != s.reference.order || s.interpretation.flipped)) {
    declared = interpretation(seen, s.reference, s.reference.order, false);
    auto other = look(declared, s.reference.orientation);
    if (!other.empty() && other.front().fit.residual * 1.15 < left) {
      found = std::move(other);
      as_read = &declared;
    }
  }
  if (found.empty()) return;
  auto next = s.completed(*as_read, found, s.own_first());
  const bool better = is_better(s, next, 0.87);
  const double left_over = next.residual;
  if (better) s.best = std::move(next);
  if (!s.done()) try_tone_step_layers(s, *as_read, found, left_over);
  if (better) {
    if (as_read == &declared) s.interpretation = std::move(declared);
    s.trials = std::move(found);
  }
}

/// Stops early if even the free fit leaves more than `enough` gray steps.
Explanation search(Frame& frame, const Reference& reference, const std::vector<Range>& ranges,
                   double enough = std::numeric_limits<double>::infinity()) {
  Explanation start;
  start.residual_before = start.residual = distance_from_reference(frame, reference);
  start.hypothesis = reference_hypothesis(reference, ranges.front());
  Search s{frame, reference, ranges,
           start, start,     {},
           {},    {},        start.residual_before <= allowed(kDecoder, reference)};
  Frame& seen = *seen_as(frame, s.own_look());

  const auto framings = usual_framings(reference, frame.upright.height, frame.upright.width);
  const auto candidates = coarse_candidates(seen, reference, framings);
  if (candidates.empty()) {
    start.reason = "no geometry of the reference fits a picture of " +
                   std::to_string(frame.upright.height) + "x" + std::to_string(frame.upright.width);
    return start;
  }
  Placements where = narrow(seen, reference, framings, candidates);
  if (s.decoder_band && !where.placements.empty()) {
    where.interpretation = interpretation(seen, reference, reference.order, false);
    where.placements = {{framings.front(), reference.orientation, false}};
  }
  s.interpretation = std::move(where.interpretation);
  s.placements = std::move(where.placements);
  if (!s.placements.empty())
    s.trials = try_resamplings(seen, reference, s.interpretation, s.placements,
                               usual_resamplings(reference), s.own_tone_step());
  if (s.trials.empty()) {
    start.reason = "too few pixels to fit";
    return start;
  }
  if (s.trials.front().fit.residual > enough) return start;
  s.best = s.completed(s.interpretation, s.trials, s.own_first());
  // A crop by a fraction of the sides may be within a pixel of one in whole pixels, with a small
  // residual.
  const bool by_share = s.best.hypothesis.framing.reference || s.best.residual <= kSame;
  if (!s.decoder_band && (!s.done() || !by_share))
    try_framings(
        s, short_side_framings(reference, framings, frame.upright.height, frame.upright.width));
  if (s.done()) {
    add_rare_alternatives(s);
    return s.best;
  }
  if (s.decoder_band) {
    // Curves and colour matrices cannot remove another decoder's noise.
    auto plain = s.best;
    try_tone_step_layers(s, s.interpretation, s.trials, start.residual_before);
    return s.best.hypothesis.tone_step && s.best.residual <= 0.5 * start.residual_before ? s.best
                                                                                         : plain;
  }
  // Cheap hypotheses first; each must explain clearly more than the previous ones.
  try_neighbours(s);
  if (s.done()) return s.best;
  const auto usual = s.trials;
  const double plain_residual = s.best.residual;
  try_rare(s);
  if (!s.done()) try_tone_step_layers(s, s.interpretation, usual, plain_residual);
  if (!s.done()) try_window_layer(s);
  return s.best;
}

/// Tries other ways to decode the same bytes: first those in which decoders may differ, then
/// faults.
void try_interpretations(Frame& frame, const Reference& reference, const std::vector<Range>& ranges,
                         Explanation& best) {
  if (!frame.source || reference.decodes) return;
  for (const auto& other : preprocess::alternative_readings(*frame.source)) {
    const bool small = best.residual <= 2 * kDecoder;
    if (other.can_be_fault ? best.residual_before <= kExact : !small) continue;
    Frame* seen = seen_as(frame, {other.how, {}});
    if (!seen) continue;
    Explanation next =
        search(*seen, reference, ranges,
               other.can_be_fault ? std::max(0.8 * best.residual, 3.0) : 0.8 * best.residual);
    next.hypothesis.decode = other.how;
    next.hypothesis.decode_is_fault = other.can_be_fault;
    next.hypothesis.decode_text = other.detail;
    const bool found = next.status == Status::kFound || next.status == Status::kEqual;
    if (!found || next.residual > allowed(kExact, reference, next.hypothesis) ||
        next.residual > 0.5 * best.residual)
      continue;
    if (other.can_be_fault) {
      const double back = distance_from_reference(frame, reference);
      next.status = Status::kFound;
      next.differences.insert(next.differences.begin(), {Part::kDecode, back});
    } else {
      next.measured.push_back({EvidenceKind::kOtherDecoder, {{"decoder", other.detail}}});
    }
    best = std::move(next);
    if (best.residual <= kSame) return;
  }
}

/// Tries the reference's own pre-processing with another decoder for the same bytes.
std::optional<Explanation> equal_but_decoder(Frame& frame, const Reference& reference,
                                             const std::vector<Range>& ranges) {
  const double residual_before = distance_from_reference(frame, reference);
  if (!frame.source || reference.decodes || residual_before > 2 * kDecoder) return std::nullopt;
  for (const auto& other : preprocess::alternative_readings(*frame.source)) {
    if (other.can_be_fault) continue;
    Explanation e;
    e.hypothesis = reference_hypothesis(reference, ranges.front());
    e.hypothesis.decode = other.how;
    e.hypothesis.decode_is_fault = false;
    e.residual_before = residual_before;
    e.residual = residual_of(frame, reference, e.hypothesis, mean_gain(e.hypothesis.range.gain))
                     .value_or(99.0);
    if (e.residual > std::min(kSame, 0.5 * residual_before)) continue;
    e.status = Status::kEqual;
    e.measured.push_back({EvidenceKind::kOtherDecoder, {{"decoder", other.detail}}});
    return e;
  }
  return std::nullopt;
}

}  // namespace

Explanation explain(Frame& frame, const Reference& reference, const std::vector<Range>& ranges) {
  if (auto early = settle_early(frame, reference, ranges)) return *early;
  if (auto equal = equal_but_decoder(frame, reference, ranges)) return *equal;
  Explanation best = search(frame, reference, ranges);
  const bool exact = (best.status == Status::kFound || best.status == Status::kEqual) &&
                     best.residual <= allowed(kExact, reference, best.hypothesis);
  if (!exact) try_interpretations(frame, reference, ranges, best);
  return best;
}

}  // namespace edgeprobe::diagnose
