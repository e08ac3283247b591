// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/tone_step.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/text.h"
#include "diagnose/preprocessing/model/color.h"
#include "diagnose/preprocessing/search/search.h"
#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::ColorMatrix;
using preprocess::Recode;
using preprocess::Resampling;
using preprocess::Step;
using preprocess::Tone;

/// An unnamed exponent must leave less than this fraction of a named curve's residual.
constexpr double kClearly = 0.85;
constexpr std::size_t kStarts = 3;  ///< Number of kernels from which the search for curves starts.

/// A geometry without a tone step, projected once for all tone steps.
struct Start {
  const Trial* trial;
  Content content;
};

/// Residual in gray steps with the best usual channel mixture.
double score(const Trial& trial, const Reference& reference, const Frame& frame) {
  if (trial.tone_step.gray || frame.channels() == 1) return trial.fit.residual;
  return name_color(trial.sums, reference, frame.channels()).chosen.residual;
}

ToneStep tone_step_with(Step step, bool gray, const std::array<double, 3>& weights) {
  ToneStep tone_step{std::move(step), false, weights};
  tone_step.gray = gray && std::holds_alternative<Tone>(*tone_step.step);
  return tone_step;
}

/// The exponent between 1/5 and 5 with the smallest residual: a coarse grid, then a golden-section
/// search on its logarithm.
double fitted_gamma(const std::function<double(double)>& residual_at) {
  constexpr int kPoints = 17;
  const double low = std::log(0.2), high = std::log(5.0), step = (high - low) / (kPoints - 1);
  double best = 0, least = 1e300;
  for (int i = 0; i < kPoints; ++i) {
    const double at = low + i * step, r = residual_at(std::exp(at));
    if (r < least) {
      least = r;
      best = at;
    }
  }
  double a = best - step, b = best + step;
  constexpr double kGolden = 0.6180339887498949;
  double c = b - kGolden * (b - a), d = a + kGolden * (b - a);
  double fc = residual_at(std::exp(c)), fd = residual_at(std::exp(d));
  for (int i = 0; i < 12; ++i) {
    if (fc < fd) {
      b = d;
      d = c;
      fd = fc;
      c = b - kGolden * (b - a);
      fc = residual_at(std::exp(c));
    } else {
      a = c;
      c = d;
      fc = fd;
      d = a + kGolden * (b - a);
      fd = residual_at(std::exp(d));
    }
  }
  return std::exp((a + b) / 2);
}

/// Gray steps by which a conversion must be better for each of its parts.
double penalty(const Step& step) {
  const auto* recode = std::get_if<Recode>(&step);
  if (!recode) return 0;
  return 0.06 * ((recode->encode != recode->decode) +
                 (recode->encode_limited != recode->decode_limited) + recode->chroma_swapped);
}

const char* matrix_name(ColorMatrix matrix) {
  return matrix == ColorMatrix::kBt601 ? "BT.601" : "BT.709";
}

}  // namespace

std::vector<Tone> usual_tones() {
  std::vector<Tone> all;
  for (double gamma : {2.2, 1 / 2.2, 1.8, 1 / 1.8}) all.push_back({Tone::Curve::kGamma, gamma});
  all.push_back({Tone::Curve::kSrgbToLinear});
  all.push_back({Tone::Curve::kLinearToSrgb});
  for (Tone& tone : all) tone.rounding = preprocess::Rounding::kUint8;
  return all;
}

std::vector<ToneStep> fewer_bits() {
  std::vector<ToneStep> all;
  for (const auto curve : {Tone::Curve::kRgb565, Tone::Curve::kRgb565Filled})
    all.push_back({Step{Tone{curve, 1, {1}, {0}, preprocess::Rounding::kUint8}}, false, {}});
  return all;
}

bool is_usual(const Tone& tone) {
  if (tone.curve != Tone::Curve::kGamma) return true;
  const auto all = usual_tones();
  return std::any_of(all.begin(), all.end(), [&](const Tone& t) {
    return t.curve == tone.curve && std::abs(t.gamma - tone.gamma) < 1e-9;
  });
}

std::vector<Recode> usual_recodes() {
  std::vector<Recode> all;
  for (const auto& [encode, decode] : {std::pair{ColorMatrix::kBt601, ColorMatrix::kBt709},
                                       {ColorMatrix::kBt709, ColorMatrix::kBt601},
                                       {ColorMatrix::kBt601, ColorMatrix::kBt601},
                                       {ColorMatrix::kBt709, ColorMatrix::kBt709}})
    for (const bool swapped : {false, true})
      for (const int levels : {0, 1, 2}) {
        Recode recode{encode, decode, levels == 2, levels == 1, swapped, Recode::Round::kUint8};
        // A change of levels is the same map for any matrix.
        if (encode == decode && !swapped && (levels == 0 || encode == ColorMatrix::kBt709))
          continue;
        all.push_back(recode);
      }
  return all;
}

bool is_gray_target(const Frame& frame, const Interpretation& interpretation) {
  if (frame.channels() != 3) return false;
  const auto& t = interpretation.target;
  if (t.channels == 1) return true;
  double s[3] = {}, ss[3] = {}, cross[3] = {};
  const std::size_t n = t.values.size() / 3;
  for (std::size_t p = 0; p < n; ++p) {
    const double v[3] = {t.values[3 * p], t.values[3 * p + 1], t.values[3 * p + 2]};
    for (int c = 0; c < 3; ++c) {
      s[c] += v[c];
      ss[c] += v[c] * v[c];
      cross[c] += v[0] * v[c];
    }
  }
  for (int c = 1; c < 3; ++c) {
    const double cov = cross[c] - s[0] * s[c] / double(n);
    const double spread = std::sqrt(
        std::max(0.0, (ss[0] - s[0] * s[0] / double(n)) * (ss[c] - s[c] * s[c] / double(n))));
    if (spread <= 0 || cov / spread < 0.9999) return false;
  }
  return true;
}

namespace {

/// The best geometries, and the reference's.
std::vector<const Trial*> starts_of(const std::vector<Trial>& plain, const Reference& reference) {
  std::vector<const Trial*> starts;
  bool own_too = false;
  for (const Trial& trial : plain) {
    const bool own = trial.resampling == reference.resampling;
    if (starts.size() >= kStarts && (!own || own_too)) continue;
    own_too = own_too || own;
    starts.push_back(&trial);
  }
  return starts;
}

}  // namespace

std::vector<RankedToneStep> rank_tone_steps(Frame& frame, const Reference& reference,
                                            const Interpretation& interpretation,
                                            const std::vector<Trial>& plain) {
  const bool gray = is_gray_target(frame, interpretation);
  std::array<double, 3> weights = {0.299, 0.587, 0.114};
  if (gray && reference.gray && !reference.mixing.rows.empty())
    weights = reference.mixing.rows.front();
  const Effort quick{row_step_for(reference, 9000), false, true};

  std::vector<Start> starts;
  for (const Trial* trial : starts_of(plain, reference))
    if (auto content = content_of(frame, reference, trial->placement, trial->resampling, quick))
      starts.push_back({trial, std::move(*content)});
  const auto tried = [&](const Start& start, const ToneStep& tone_step) {
    const auto trial = measured(start.content, reference, interpretation, start.trial->placement,
                                start.trial->resampling, tone_step, quick);
    return trial ? score(*trial, reference, frame) : 1e300;
  };
  std::vector<RankedToneStep> ranks;
  const auto rank = [&](Step step) {
    RankedToneStep ranked{tone_step_with(std::move(step), gray, weights), 1e300};
    for (const Start& start : starts)
      ranked.residual = std::min(ranked.residual,
                                 tried(start, ranked.tone_step) + penalty(*ranked.tone_step.step));
    ranks.push_back(std::move(ranked));
  };
  for (const Tone& tone : usual_tones()) rank(Step{tone});
  if (!gray && frame.channels() == 3)
    for (const ToneStep& tone_step : fewer_bits()) rank(*tone_step.step);
  if (!gray && reference.channels == 3 && frame.channels() == 3)
    for (const Recode& recode : usual_recodes()) rank(Step{recode});
  if (!gray && !starts.empty())
    for (const Tone& tone : fitted_gains(starts.front().content, *starts.front().trial, reference,
                                         interpretation, frame.channels()))
      rank(Step{tone});
  // A fitted exponent adds a parameter.
  RankedToneStep free{{}, 1e300};
  for (const Start& start : starts) {
    const auto curve = [](double gamma) {
      return Tone{Tone::Curve::kGamma, gamma, {1}, {0}, preprocess::Rounding::kUint8};
    };
    const double gamma = fitted_gamma(
        [&](double g) { return tried(start, tone_step_with(Step{curve(g)}, gray, weights)); });
    for (const double unit : {0.1, 0.05, 0.01, 0.001}) {
      const double rounded = std::round(gamma / unit) * unit;
      if (unit != 0.001 && std::abs(rounded / gamma - 1) >= 0.002) continue;
      ToneStep tone_step =
          tone_step_with(Step{curve(std::round(rounded * 1000) / 1000)}, gray, weights);
      if (const double residual = tried(start, tone_step) / kClearly; residual < free.residual)
        free = {std::move(tone_step), residual};
      break;
    }
  }
  // An almost straight fit is not a curve, whatever the residual.
  if (free.residual < 1e300 && std::abs(std::get<Tone>(*free.tone_step.step).gamma - 1) > 0.02)
    ranks.push_back(std::move(free));
  std::stable_sort(
      ranks.begin(), ranks.end(),
      [](const RankedToneStep& a, const RankedToneStep& b) { return a.residual < b.residual; });
  return ranks;
}

std::vector<RankedToneStep> rank_on_picture(Frame& frame, const Reference& reference,
                                            const Interpretation& interpretation,
                                            const std::vector<Trial>& plain,
                                            const std::vector<ToneStep>& tone_steps) {
  const Effort quick{row_step_for(reference, 9000), false, true};
  std::vector<RankedToneStep> ranks;
  for (const ToneStep& tone_step : tone_steps) {
    Frame* seen = tone_step.step && !tone_step.gray
                      ? seen_as(frame, {frame.look.decode, tone_step.step})
                      : nullptr;
    if (!seen) continue;
    RankedToneStep ranked{tone_step, 1e300};
    for (const Trial* start : starts_of(plain, reference))
      if (const auto trial = try_geometry(*seen, reference, interpretation, start->placement,
                                          start->resampling, {}, quick))
        ranked.residual =
            std::min(ranked.residual, score(*trial, reference, frame) + penalty(*tone_step.step));
    ranks.push_back(std::move(ranked));
  }
  std::stable_sort(
      ranks.begin(), ranks.end(),
      [](const RankedToneStep& x, const RankedToneStep& y) { return x.residual < y.residual; });
  return ranks;
}

std::string tone_step_name(const Step& step) {
  if (const auto* tone = std::get_if<Tone>(&step)) {
    switch (tone->curve) {
      case Tone::Curve::kGamma: {
        std::string name =
            "the curve x^" + number(tone->gamma, 3) + " (gamma " + number(tone->gamma, 3) + ")";
        if (std::abs(tone->gamma * 2.2 - 1) < 0.01) name = "the curve x^(1/2.2) (gamma 0.45)";
        return name;
      }
      case Tone::Curve::kSrgbToLinear: return "the curve from sRGB to linear light";
      case Tone::Curve::kLinearToSrgb: return "the curve from linear light to sRGB";
      case Tone::Curve::kRgb565: return "16-bit pixels (RGB 5-6-5, the lower bits cleared)";
      case Tone::Curve::kRgb565Filled:
        return "16-bit pixels (RGB 5-6-5, the upper bits repeated below)";
      case Tone::Curve::kLinear:
        return "pixels changed to " + gain_text(*tone) + ", cut off to 0..255";
    }
  }
  if (const auto* recode = std::get_if<Recode>(&step)) {
    std::string text;
    const auto say = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
    if (recode->encode != recode->decode)
      say(std::string("YUV encoded by ") + matrix_name(recode->encode) + " and decoded by " +
          matrix_name(recode->decode));
    if (recode->encode_limited != recode->decode_limited)
      say(recode->decode_limited ? "full-range YUV taken for limited range (16..235)"
                                 : "limited-range YUV (16..235) taken for full range");
    if (recode->chroma_swapped) say("U and V exchanged");
    return text;
  }
  return preprocess::to_text(step);
}

}  // namespace edgeprobe::diagnose
