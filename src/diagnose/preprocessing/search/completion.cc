// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/explain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "diagnose/preprocessing/model/color.h"
#include "diagnose/preprocessing/model/matrices.h"
#include "diagnose/preprocessing/search/naming.h"
#include "diagnose/preprocessing/search/tone_step.h"
#include "preprocess/picture/resize.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Resampling;
using preprocess::Rounding;

constexpr double kCertain = 0.15;  ///< Residuals this small are not chance.

double tolerance(double residual) { return std::max(kSame, 0.1 * residual); }

/// Index of the kernel to name: the reference's if it is as good as the best.
std::size_t name_kernel(const std::vector<Trial>& trials, const Reference& reference,
                        std::vector<Resampling>& same_kernels, double residual_before) {
  const double best = trials.front().fit.residual;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!(trials[i].placement == trials.front().placement)) continue;
    const bool own = trials[i].resampling == reference.resampling;
    const bool alike = trials[i].fit.residual <= best + tolerance(best);
    // With another decoder's noise, a kernel must be clearly better to be named.
    const bool blurred = own &&
                         (best > allowed(kExact, reference) || residual_before <= kDecoder) &&
                         best > 0.7 * trials[i].fit.residual;
    if (alike || blurred) same_kernels.push_back(trials[i].resampling);
    if (own && (alike || blurred)) chosen = i;
  }
  return chosen;
}

/// The lines, with the moments of the pixels used for the fit.
Measured measured_lines(const Sums& sums, const ColorAnswer& color, int picture_channels) {
  Measured m{color.chosen.gain, color.chosen.offset, {}, {}};
  const int n = sums.columns;
  for (std::size_t q = 0; q < color.chosen.mixing.rows.size(); ++q) {
    std::array<double, 3> w = color.chosen.mixing.rows[q];
    const double shift = color.chosen.mixing.shift_of(q);
    if (picture_channels == 1) w = {1, 0, 0};
    double mean = 0, square = 0;
    for (int i = 0; i < n; ++i) {
      mean += w[i] * sums.xx[i][n];
      for (int j = 0; j < n; ++j) square += w[i] * w[j] * sums.xx[i][j];
    }
    m.mean.push_back(mean / sums.count + shift);
    m.square.push_back(square / sums.count + 2 * shift * mean / sums.count + shift * shift);
  }
  return m;
}

/// The reference's own range for channels that were exchanged before it: exchanges its lines too.
std::optional<Range> exchanged_range(const Range& own, const Mixing& from, const Mixing& to) {
  if (from == to || from.rows.size() != 3 || to.rows.size() != 3 || is_gray(from) || is_gray(to))
    return std::nullopt;
  Range range = own;
  for (std::size_t q = 0; q < 3; ++q) {
    const auto at = std::find(from.rows.begin(), from.rows.end(), to.rows[q]);
    if (at == from.rows.end()) return std::nullopt;
    range.gain[q] = own.gain[std::size_t(at - from.rows.begin())];
    range.offset[q] = own.offset[std::size_t(at - from.rows.begin())];
  }
  return range;
}

/// Lines of a target whose channels were mixed before the fit.
ColorAnswer gray_answer(const Trial& trial, const Reference& reference) {
  ColorAnswer answer;
  answer.named = true;
  answer.free_residual = answer.chosen.residual = trial.fit.residual;
  answer.chosen.mixing = reference.mixing;
  if (!reference.gray) {
    answer.chosen.mixing =
        Mixing{"gray", {std::size_t(reference.channels), trial.tone_step.weights}};
    answer.chosen.mixing.gray_step = true;
  }
  for (const Line& line : trial.fit.lines) {
    answer.chosen.gain.push_back(line.coefficients[0]);
    answer.chosen.offset.push_back(line.coefficients[1]);
  }
  return answer;
}

/// Detects mean 0 and deviation 1 over the whole tensor, or over each channel.
std::optional<preprocess::Standardize> standardized(const Frame& frame,
                                                    const Reference& reference) {
  if (reference.coded) return std::nullopt;
  const auto t = arranged(frame.stored, reference.order, reference.height, reference.width,
                          reference.channels);
  const std::size_t c = std::size_t(t.channels);
  const auto is_standard = [&](std::size_t first, std::size_t step) {
    double sum = 0, squares = 0, n = 0;
    for (std::size_t i = first; i < t.values.size(); i += step) {
      sum += double(t.values[i]);
      squares += double(t.values[i]) * double(t.values[i]);
      ++n;
    }
    const double mean = sum / n;
    return std::abs(mean) < 0.02 &&
           std::abs(std::sqrt(std::max(0.0, squares / n - mean * mean)) - 1) < 0.02;
  };
  if (!is_standard(0, 1)) return std::nullopt;
  bool each = c > 1;
  for (std::size_t q = 0; q < c; ++q) each = each && is_standard(q, c);
  return preprocess::Standardize{each};
}

/// Offset that inverting the sign bit adds if nearly all codes are on one side of the middle; 0 if
/// it would tear them apart.
double moved_by_sign(const Frame& frame, const Reference& reference) {
  if (!reference.coded || reference.highest - reference.lowest != 255) return 0;
  const float middle = float(reference.lowest + 128);
  const auto above =
      std::count_if(frame.stored.begin(), frame.stored.end(), [&](float v) { return v >= middle; });
  const double share = double(above) / double(frame.stored.size());
  return share < 0.01 ? 128 : share > 0.99 ? -128 : 0;
}

/// Chooses the rounding that fits the target best; prefers the reference's if nearly equal.
void choose_rounding(Frame& frame, const Reference& reference, Hypothesis& h, double gain,
                     double& residual) {
  residual =
      residual_of(frame, reference, h, gain).value_or(std::numeric_limits<double>::infinity());
  const Rounding first = h.rounding;
  if (reference.coded && first == Rounding::kFloat && !h.tone_step)
    return;  // The codes are rounded anyway.
  for (Rounding rounding :
       {Rounding::kUint8, Rounding::kPillow, Rounding::kOpencv, Rounding::kFloat}) {
    if (residual <= 0.05) return;
    if (rounding == first || !preprocess::check_rounding(h.resampling, rounding)) continue;
    Hypothesis other = h;
    other.rounding = rounding;
    const auto r = residual_of(frame, reference, other, gain);
    if (r && *r < residual - 0.02) {
      residual = *r;
      h.rounding = rounding;
    }
  }
}

/// choose_rounding(), including the rounding of a tone step.
void choose_tone_step_rounding(Frame& frame, const Reference& reference, Hypothesis& h, double gain,
                               double& residual) {
  std::vector<preprocess::Step> ways;
  if (const auto* tone = std::get_if<preprocess::Tone>(&*h.tone_step)) {
    for (Rounding rounding : {Rounding::kUint8, Rounding::kFloat}) {
      auto way = *tone;
      way.rounding = rounding;
      ways.push_back(way);
    }
  } else if (const auto* recode = std::get_if<preprocess::Recode>(&*h.tone_step)) {
    using enum preprocess::Recode::Round;
    for (auto round : {kYuv8, kUint8, kFloat}) {
      auto way = *recode;
      way.round = round;
      ways.push_back(way);
      // Full range on both sides and limited range on both sides are the same map, but limited
      // range has fewer levels and rounds differently.
      if (round != kYuv8 || recode->encode_limited != recode->decode_limited) continue;
      way.encode_limited = way.decode_limited = !recode->encode_limited;
      ways.push_back(way);
    }
  }
  const Hypothesis start = h;
  for (const auto& way : ways) {
    if (residual <= 0.05) return;
    Hypothesis other = start;
    other.tone_step = way;
    double r = 0;
    choose_rounding(frame, reference, other, gain, r);
    if (r < residual - 0.02) {
      residual = r;
      h = std::move(other);
    }
  }
}

/// The exponent was fitted together with the lines. Now that the range is named, fits the exponent
/// again by itself: the roundest number that fits as well.
void refine_exponent(Frame& frame, const Reference& reference, Hypothesis& h, double gain,
                     double& residual) {
  auto* tone = std::get_if<preprocess::Tone>(&*h.tone_step);
  if (!tone || tone->curve != preprocess::Tone::Curve::kGamma || is_usual(*tone)) return;
  const auto left = [&](double gamma) {
    Hypothesis other = h;
    std::get<preprocess::Tone>(*other.tone_step).gamma = gamma;
    return residual_of(frame, reference, other, gain)
        .value_or(std::numeric_limits<double>::infinity());
  };
  double low = tone->gamma * 0.94, high = tone->gamma * 1.06;
  for (int i = 0; i < 11; ++i) {
    const double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low);
    if (left(a) < left(b)) high = b;
    else low = a;
  }
  const double best = (low + high) / 2, least = left(best);
  for (const double unit : {0.1, 0.05, 0.01, 0.001}) {
    const double gamma = std::round(best / unit) * unit;
    const double r = left(gamma);
    if (unit > 0.001 && r > least + 0.05) continue;
    if (r < residual) {
      tone->gamma = std::round(gamma * 1000) / 1000;
      residual = r;
    }
    return;
  }
}

/// True for the reference's gain with an offset of a few codes.
bool next_to_own(const Range& range, const Reference& reference) {
  bool next = range.kind.has_value();
  for (std::size_t c = 0; c < range.gain.size(); ++c)
    next = next && std::abs(range.gain[c] / reference.gain[c] - 1) < 0.02 &&
           std::abs(range.offset[c] - reference.offset[c]) * reference.steps_per_unit() < 4;
  return next;
}

/// True if a colour conversion expands the levels and the range compresses them, or vice versa:
/// together they cancel, and both names are wrong.
bool cancels(const Hypothesis& h) {
  const auto* recode = h.tone_step ? std::get_if<preprocess::Recode>(&*h.tone_step) : nullptr;
  return recode && recode->encode_limited != recode->decode_limited && h.range.video_levels;
}

/// Reverts every difference that the frame does not need, and measures the others.
void keep_needed(Frame& frame, const Reference& reference, const Hypothesis& own, Explanation& e,
                 double gain) {
  for (Part part : kParts) {
    if (!differs(e.hypothesis, own, part)) continue;
    if (part == Part::kFill && differs(e.hypothesis, own, Part::kFraming)) continue;
    const Hypothesis reverted = with(e.hypothesis, own, part);
    const double back = residual_of(frame, reference, reverted, gain).value_or(99.0);
    const bool exact = e.residual <= allowed(kExact, reference, e.hypothesis);
    const double needless =
        part == Part::kMixing
            ? e.residual + kSame
            : std::max(e.residual + kSame, e.residual * (e.residual < 1.35 * kExact ? 1.1 : 1.01));
    if (back <= needless) {
      e.hypothesis = reverted;
    } else if (exact && back <= kInvisible && part != Part::kMixing) {
      e.slight.push_back({part, back});
    } else {
      e.differences.push_back({part, back});
    }
  }
  std::stable_sort(
      e.differences.begin(), e.differences.end(),
      [](const Difference& a, const Difference& b) { return a.contribution > b.contribution; });
}

// If a range's gray step is many times the reference's, a fraction of a step may exceed all
// differences in the target: such ranges must also reproduce its values.
bool misses_values(Frame& frame, const Reference& reference, const Hypothesis& own,
                   const Hypothesis& h) {
  constexpr double kCoarser = 2, kMostLeft = 0.5;
  const double step = mean_gain(own.range.gain);
  if (mean_gain(h.range.gain) <= kCoarser * step) return false;
  const auto left = residual_of(frame, reference, h, 1.0);
  if (!left || *left <= kExact * step) return false;
  const auto values = target_values(frame, reference, h).values;
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double count = std::max<double>(1, static_cast<double>(values.size())), mean = sum / count;
  return *left > kMostLeft * std::sqrt(std::max(0.0, squares / count - mean * mean));
}

}  // namespace

Explanation name_explanation(Frame& frame, const Reference& reference,
                             const std::vector<Range>& ranges, const Attempt& attempt,
                             Explanation e) {
  const auto& trials = *attempt.trials;
  const Interpretation& interpretation = *attempt.interpretation;
  const Hypothesis own = reference_hypothesis(reference, ranges.front());
  e.hypothesis = own;
  const std::size_t chosen = name_kernel(trials, reference, e.same_kernels, e.residual_before);
  const Trial& best = trials[chosen];
  e.r2 = best.fit.r2;

  const bool mixed_first = best.tone_step.gray && frame.channels() == 3;
  ColorAnswer color = mixed_first ? gray_answer(best, reference)
                                  : name_color(best.sums, reference, frame.channels());
  // If the app applies its own tone curve, an unconstrained colour matrix would fit almost
  // anything.
  const bool own_levels =
      !best.tone_step.gray &&
      (attempt.look.tone_step || best.tone_step.step ? bool(reference.tone_step) : true);
  if (!color.named && own_levels && frame.channels() == 3)
    if (auto matrix = exact_matrix(best.sums, reference, color.chosen, best.fit)) {
      color.chosen = std::move(*matrix);
      color.named = true;
    }
  e.order_undecidable = color.order_undecidable;
  const Measured measured = measured_lines(best.sums, color, mixed_first ? 1 : frame.channels());

  Hypothesis& h = e.hypothesis;
  h.decode = attempt.look.decode;
  h.tone_step = attempt.look.tone_step ? attempt.look.tone_step : best.tone_step.step;
  h.tone_step_first = attempt.look.tone_step.has_value();
  h.orientation = best.placement.orientation;
  h.turned_last = best.placement.turned_last;
  h.framing = best.placement.framing;
  h.resampling = best.resampling;
  // Another kernel may not support the reference's 8-bit arithmetic.
  if (!preprocess::check_rounding(h.resampling, h.rounding)) h.rounding = Rounding::kUint8;
  h.mixing = color.chosen.mixing;
  h.range = measured_range(measured, reference);
  h.order = interpretation.order;
  h.flipped = interpretation.flipped;
  measure_letterbox(frame, reference, interpretation, own, h);
  const double gain = mean_gain(measured.gain);
  e.residual = std::numeric_limits<double>::infinity();
  if (h.tone_step) choose_tone_step_rounding(frame, reference, h, gain, e.residual);
  else choose_rounding(frame, reference, h, gain, e.residual);
  if (!h.tone_step && frame.channels() == 3 && is_gray(h.mixing) && !(h.mixing == own.mixing)) {
    // Libraries convert colours to 8-bit gray.
    Hypothesis rounded = h;
    rounded.gray_rounded = true;
    double residual = std::numeric_limits<double>::infinity();
    choose_rounding(frame, reference, rounded, gain, residual);
    if (residual < e.residual - 0.02) {
      h = std::move(rounded);
      e.residual = residual;
    }
  }
  const auto from = pixels(frame, reference, h);
  if (!from) {
    e.reason = "the geometry that was found does not fit the picture";
    return e;
  }
  // If channels are exchanged before a normalisation that differs by channel, the lines are
  // exchanged too.
  auto candidates = ranges;
  if (const auto exchanged = exchanged_range(ranges.front(), reference.mixing, h.mixing))
    candidates.insert(candidates.begin() + 1, *exchanged);
  Named range = name_range(measured, candidates, frame, reference, h, *from);
  if (!range.named) {
    if (auto mixed = name_mixed_range(measured, frame, reference, h, *from);
        mixed && mixed->residual <= range.residual + kSame && mixed->residual <= kExact)
      range = std::move(*mixed);
  }
  // Codes on only one side of the middle look the same when moved by 128: the sign bit may be
  // inverted.
  if (const double by =
          range.named && range.residual <= kExact ? 0 : moved_by_sign(frame, reference);
      by != 0) {
    Hypothesis turned = h;
    turned.flipped = !h.flipped;
    Measured moved = measured;
    for (double& offset : moved.offset) offset += by;
    if (Named other = name_range(moved, candidates, frame, reference, turned, *from);
        other.named &&
        other.residual <= (range.named ? 0.5 * range.residual : range.residual + kSame)) {
      h.flipped = turned.flipped;
      range = std::move(other);
    }
  }
  // The rounding was chosen for the measured lines; another one may fit the named range.
  if (range.residual > 0.3 && range.residual < kDecoder) {
    for (Rounding rounding :
         {Rounding::kPillow, Rounding::kOpencv, Rounding::kUint8, Rounding::kFloat}) {
      Hypothesis rounded = h;
      rounded.rounding = rounding;
      const bool possible =
          rounding != h.rounding && preprocess::check_rounding(h.resampling, rounding);
      const auto other_pixels = possible ? pixels(frame, reference, rounded) : std::nullopt;
      if (!other_pixels) continue;
      Named other = name_range(measured, candidates, frame, reference, rounded, *other_pixels);
      if (!other.named || other.residual >= range.residual - kSame) continue;
      h.rounding = rounding;
      range = std::move(other);
    }
  }
  h.range = range.range;
  e.same_ranges = range.others;
  e.residual = range.residual;
  const auto standard =
      !range.named || range.residual > kExact ? standardized(frame, reference) : std::nullopt;
  if (standard) {
    h.range = measured_range(measured, reference);
    h.range.per_picture = true;
    h.range.steps = {*standard};
    h.range.by_channel = standard->by_channel;
    h.range.name = standard->by_channel ? "each channel's own mean and deviation"
                                        : "each picture's own mean and deviation";
    e.residual = residual_of(*from, target_values(frame, reference, h), reference, h, gain);
  }
  if (h.framing.has_letterbox()) {
    measure_letterbox(frame, reference, interpretation, own, h);
    e.residual = residual_of(frame, reference, h, gain).value_or(e.residual);
  }
  const auto* curve = h.tone_step ? std::get_if<preprocess::Tone>(&*h.tone_step) : nullptr;
  const bool free_curve = curve && !is_usual(*curve);
  bool overcompensated = false;
  if (free_curve && range.named && next_to_own(range.range, reference)) {
    // A fitted exponent and a range close to the reference's can compensate each other: the
    // exponent must suffice by itself.
    Hypothesis alone = h;
    alone.range = ranges.front();
    double residual = residual_of(frame, reference, alone, gain)
                          .value_or(std::numeric_limits<double>::infinity());
    refine_exponent(frame, reference, alone, gain, residual);
    overcompensated = residual > allowed(kExact, reference, alone);
    if (!overcompensated) {
      h = std::move(alone);
      e.residual = residual;
    }
  } else if (free_curve && range.named && e.residual > 0.1) {
    refine_exponent(frame, reference, h, gain, e.residual);
  }
  for (const Trial& trial : trials)
    if (trial.placement.orientation != best.placement.orientation &&
        trial.fit.residual <= best.fit.residual + tolerance(best.fit.residual) &&
        std::find(e.same_orientations.begin(), e.same_orientations.end(),
                  trial.placement.orientation) == e.same_orientations.end())
      e.same_orientations.push_back(trial.placement.orientation);
  keep_needed(frame, reference, own, e, gain);

  // Unnamed lines on codes may be a range or a quantisation; another decoder's noise hides which.
  const bool vague =
      !range.named && ((reference.coded && e.residual > allowed(0.5, reference, e.hypothesis)) ||
                       // A range a few steps off the reference's own, with some residual: fewer
                       // levels have the same effect.
                       (next_to_own(h.range, reference) && !h.range.per_picture &&
                        e.residual > allowed(kCertain, reference, e.hypothesis)));
  // Unconstrained lines after a curve fit nearly anything.
  const bool overfitted = h.tone_step && differs(h, own, Part::kTouch) && !range.named && !standard;
  const bool explained =
      color.named && !vague && !overfitted && !overcompensated && !cancels(h) &&
      !misses_values(frame, reference, own, h) &&
      (e.differences.empty()
           ? e.residual <= allowed(frame.lossy ? kDecoder : kExact, reference, e.hypothesis)
           : explains(e.residual, e.residual_before, frame, reference, e.hypothesis));
  if (!explained) {
    e.status = Explanation::Status::kPartial;
  } else if (e.differences.empty()) {
    e.status = Explanation::Status::kEqual;
  } else {
    e.status = Explanation::Status::kFound;
  }
  return e;
}

}  // namespace edgeprobe::diagnose
