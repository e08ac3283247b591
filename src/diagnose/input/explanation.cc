#include "diagnose/input/explanation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "diagnose/input/color.h"
#include "diagnose/input/equality.h"
#include "diagnose/input/naming.h"
#include "diagnose/input/registration.h"
#include "preprocess/resize.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Resampling;
using preprocess::Rounding;

bool same_place(const Trial& a, const Trial& b) {
  return a.orientation == b.orientation && a.framing.reference == b.framing.reference &&
         a.framing.steps.size() == b.framing.steps.size() &&
         std::equal(a.framing.steps.begin(), a.framing.steps.end(), b.framing.steps.begin(),
                    [](const auto& x, const auto& y) { return preprocess::to_text(x) == preprocess::to_text(y); });
}

double tolerance(double rho) { return std::max(kSame, 0.1 * rho); }

/// Where the picture lies, narrowed from the coarse leads with the full picture and neutral kernels.
struct Places {
  Reading reading;
  std::vector<std::pair<Framing, Orientation>> places;
};

Places narrow(Frame& frame, const Reference& reference, const std::vector<Framing>& framings,
              const std::vector<Lead>& leads) {
  struct Candidate { double score; std::size_t combo; int framing; };
  struct Combo { Order order; bool flipped; Orientation orientation; };
  std::vector<Combo> combos;
  for (const Lead& lead : leads) {
    if (lead.score < leads.front().score - 0.08 && !combos.empty()) break;
    const bool known = std::any_of(combos.begin(), combos.end(), [&](const Combo& c) {
      return c.order == lead.order && c.flipped == lead.flipped && c.orientation == lead.orientation;
    });
    if (!known) combos.push_back({lead.order, lead.flipped, lead.orientation});
    if (combos.size() == 3) break;
  }
  std::vector<Reading> readings;
  std::vector<Candidate> candidates;
  const bool small = std::min(reference.height, reference.width) < 64;
  std::vector<Resampling> neutral = {{Kernel::kBilinear, Align::kHalfPixel, true}, {Kernel::kBilinear}};
  if (small) neutral.push_back({Kernel::kNearest});
  const int step = std::clamp(reference.height * reference.width / 9000, 1, std::max(1, reference.height / 16));
  for (std::size_t k = 0; k < combos.size(); ++k) {
    const Combo& combo = combos[k];
    readings.push_back(reading(frame, reference, combo.order, combo.flipped));
    std::vector<int> tried;
    double first = 0;
    for (const Lead& lead : leads) {
      if (lead.order != combo.order || lead.flipped != combo.flipped || lead.orientation != combo.orientation) continue;
      if (tried.empty()) first = lead.score;
      if (tried.size() == 3 || lead.score < first - 0.1) break;
      tried.push_back(lead.framing);
    }
    if (combo.orientation == leads.front().orientation && std::find(tried.begin(), tried.end(), 0) == tried.end())
      tried.push_back(0);
    for (int f : tried)
      for (const Resampling& resampling : neutral) {
        const auto trial = try_geometry(frame, reference, readings[k], framings[f], combo.orientation, resampling,
                                        {step, true, false});
        if (!trial) continue;
        const double score = 60 * std::sqrt(std::max(0.0, 1 - trial->fit.r2)) +
                             0.02 * ((f != 0) + (combo.orientation != reference.orientation) +
                                     (combo.order != reference.order)) + 0.05 * combo.flipped;
        candidates.push_back({score, k, f});
      }
  }
  Places out;
  if (candidates.empty()) return out;
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  const Combo best = combos[candidates.front().combo];
  std::vector<int> kept_framings;
  std::vector<Orientation> kept_orientations;
  for (const Candidate& c : candidates) {
    const Combo& combo = combos[c.combo];
    if (combo.order != best.order || combo.flipped != best.flipped) continue;
    if (combo.orientation == best.orientation && c.score < candidates.front().score * 1.6 + 0.3 && kept_framings.size() < 2 &&
        std::find(kept_framings.begin(), kept_framings.end(), c.framing) == kept_framings.end())
      kept_framings.push_back(c.framing);
    if (c.score < candidates.front().score * 1.3 + 0.3 && kept_orientations.size() < 2 &&
        std::find(kept_orientations.begin(), kept_orientations.end(), combo.orientation) == kept_orientations.end())
      kept_orientations.push_back(combo.orientation);
  }
  out.reading = std::move(readings[candidates.front().combo]);
  for (int f : kept_framings)
    for (Orientation o : kept_orientations) out.places.push_back({framings[f], o});
  return out;
}

/// The kernel to name: the reference's whenever it is as good as the best.
std::size_t name_kernel(const std::vector<Trial>& trials, const Reference& reference,
                        std::vector<Resampling>& same_kernels, double rho0) {
  const double best = trials.front().fit.rho;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!same_place(trials[i], trials.front())) continue;
    const bool own = trials[i].resampling == reference.resampling;
    const bool alike = trials[i].fit.rho <= best + tolerance(best);
    // Another decoder blurs the answer: then a kernel must be clearly better to be named.
    const bool blurred = own && (best > allowed(kExact, reference) || rho0 <= kDecoder) && best > 0.7 * trials[i].fit.rho;
    if (alike || blurred) same_kernels.push_back(trials[i].resampling);
    if (own && (alike || blurred)) chosen = i;
  }
  return chosen;
}

/// The lines, and the moments of the pixels on which they were fitted.
Measured measured_lines(const Sums& sums, const ColorAnswer& color, int picture_channels) {
  Measured m{color.chosen.gain, color.chosen.offset, {}, {}};
  const int n = sums.columns;
  for (const auto& row : color.chosen.mixing.rows) {
    std::array<double, 3> w = row;
    if (picture_channels == 1) w = {1, 0, 0};
    double mean = 0, square = 0;
    for (int i = 0; i < n; ++i) {
      mean += w[i] * sums.xx[i][n];
      for (int j = 0; j < n; ++j) square += w[i] * w[j] * sums.xx[i][j];
    }
    m.mean.push_back(mean / sums.count);
    m.square.push_back(square / sums.count);
  }
  return m;
}

/// Mean 0 and deviation 1 over the whole tensor.
bool is_standardized(const Frame& frame, const Reference& reference) {
  if (reference.coded) return false;
  double sum = 0, squares = 0;
  for (float v : frame.stored) { sum += v; squares += double(v) * v; }
  const double n = double(frame.stored.size()), mean = sum / n;
  return std::abs(mean) < 0.02 && std::abs(std::sqrt(std::max(0.0, squares / n - mean * mean)) - 1) < 0.02;
}

/// The bars' pixel value, measured and snapped to the usual ones.
double measured_fill(const Frame& frame, const Reference& reference, const Reading& reading, const Trial& trial,
                     const Range& range, double own_fill) {
  const auto g = geometry(steps_of(trial.framing, trial.orientation, trial.resampling, Rounding::kFloat),
                          frame.upright.height, frame.upright.width);
  if (!g || !g->has_bars()) return own_fill;
  double sum = 0, count = 0;
  for (int y = 0; y < g->height; ++y)
    for (int x = 0; x < g->width; ++x) {
      if (y >= g->top && y < g->top + g->rows.out && x >= g->left && x < g->left + g->columns.out) continue;
      for (int c = 0; c < reference.channels; ++c) {
        const double v = reading.target.values[(std::size_t(y) * g->width + x) * reference.channels + c];
        sum += (v - range.offset[c]) / range.gain[c];
        ++count;
      }
    }
  if (count == 0) return own_fill;
  const double fill = sum / count;
  for (double usual : {own_fill, 0.0, 114.0, 127.5, 128.0, 127.0, 255.0})
    if (std::abs(fill - usual) <= 1.2) return usual;
  return std::round(fill * 10) / 10;
}

/// The rounding that reproduces the target best; the reference's within a hair.
void choose_rounding(Frame& frame, const Reference& reference, Hypothesis& h, double gain, double& rho) {
  rho = residual(frame, reference, h, gain).value_or(std::numeric_limits<double>::infinity());
  const Rounding first = h.rounding;
  if (reference.coded && first == Rounding::kFloat) return;  // The codes round anyway.
  for (Rounding rounding : {Rounding::kUint8, Rounding::kPillow, Rounding::kOpencv, Rounding::kFloat}) {
    if (rho <= 0.05) return;
    if (rounding == first || !preprocess::check_rounding(h.resampling, rounding)) continue;
    Hypothesis other = h;
    other.rounding = rounding;
    const auto r = residual(frame, reference, other, gain);
    if (r && *r < rho - 0.02) { rho = *r; h.rounding = rounding; }
  }
}

/// Takes back every difference that the frame does not need, and measures the others.
void keep_needed(Frame& frame, const Reference& reference, const Hypothesis& own, Explanation& e, double gain) {
  for (Part part : kParts) {
    if (!differs(e.hypothesis, own, part)) continue;
    if (part == Part::kFill && differs(e.hypothesis, own, Part::kFraming)) continue;
    const Hypothesis reverted = with(e.hypothesis, own, part);
    const double back = residual(frame, reference, reverted, gain).value_or(99.0);
    const bool exact = e.rho <= allowed(kExact, reference);
    const double needless = part == Part::kMixing ? e.rho + kSame
                                                  : std::max(e.rho + kSame, e.rho * (e.rho < 1.35 * kExact ? 1.1 : 1.01));
    if (back <= needless) {
      e.hypothesis = reverted;
    } else if (exact && back <= kInvisible && part != Part::kMixing) {
      e.slight.push_back({part, back});
    } else {
      e.differences.push_back({part, back});
    }
  }
  std::stable_sort(e.differences.begin(), e.differences.end(),
                   [](const Difference& a, const Difference& b) { return a.contribution > b.contribution; });
}

}  // namespace

double allowed(double limit, const Reference& reference) {
  // Codes that are coarser than one gray step round on their own.
  const double step = reference.coded ? reference.steps_per_unit() : 0;
  return step > 1 ? std::sqrt(limit * limit + (step * step - 1) / 12) : limit;
}

Explanation explain(Frame& frame, const Reference& reference, const std::vector<Range>& ranges) {
  if (auto early = settle_early(frame, reference, ranges)) return *early;
  Explanation e;
  e.rho0 = distance_from_reference(frame, reference);
  const Hypothesis own = reference_hypothesis(reference, ranges.front());
  e.hypothesis = own;
  const bool decoder_band = e.rho0 <= allowed(kDecoder, reference);

  const auto framings = usual_framings(reference, frame.upright.height, frame.upright.width);
  const auto leads = coarse_leads(frame, reference, framings);
  if (leads.empty()) {
    e.reason = "no geometry of the reference fits a picture of " + std::to_string(frame.upright.height) + "x" +
               std::to_string(frame.upright.width);
    return e;
  }
  Places where = narrow(frame, reference, framings, leads);
  if (where.places.empty()) {
    e.reason = "too few pixels to fit";
    return e;
  }
  if (decoder_band) {
    where.reading = reading(frame, reference, reference.order, false);
    where.places = {{framings.front(), reference.orientation}};
  }
  auto trials = try_resamplings(frame, reference, where.reading, where.places);
  if (trials.empty()) {
    e.reason = "too few pixels to fit";
    return e;
  }
  if (trials.front().fit.rho > allowed(kExact, reference) && !decoder_band) {
    const auto look = [&](const Reading& as_read, Orientation orientation) {
      auto found = try_windows(frame, reference, as_read, orientation);
      if (found.empty() || found.front().fit.rho * 1.15 >= trials.front().fit.rho) return false;
      trials = std::move(found);
      return true;
    };
    look(where.reading, trials.front().orientation);
    // A window that is no usual one can mislead the coarse search about the memory order as well.
    if (trials.front().fit.rho > allowed(kExact, reference) &&
        (where.reading.order != reference.order || where.reading.flipped)) {
      auto declared = reading(frame, reference, reference.order, false);
      if (look(declared, reference.orientation)) where.reading = std::move(declared);
    }
  }
  const std::size_t chosen = name_kernel(trials, reference, e.same_kernels, e.rho0);
  const Trial& best = trials[chosen];
  e.r2 = best.fit.r2;

  const ColorAnswer color = name_color(best.sums, reference, frame.channels());
  e.order_undecidable = color.order_undecidable;
  const Measured measured = measured_lines(best.sums, color, frame.channels());

  Hypothesis& h = e.hypothesis;
  h.orientation = best.orientation;
  h.framing = best.framing;
  h.resampling = best.resampling;
  // Another kernel may not exist in the reference's 8-bit arithmetic.
  if (!preprocess::check_rounding(h.resampling, h.rounding)) h.rounding = Rounding::kUint8;
  h.mixing = color.chosen.mixing;
  h.range = numbers(measured, reference);
  h.order = where.reading.order;
  h.flipped = where.reading.flipped;
  h.fill = measured_fill(frame, reference, where.reading, best, h.range, own.fill);
  const double gain = mean_gain(measured.gain);
  choose_rounding(frame, reference, h, gain, e.rho);
  const auto from = pixels(frame, reference, h);
  if (!from) {
    e.reason = "the geometry that was found does not fit the picture";
    return e;
  }
  // Exchanged behind a normalisation that differs by channel: the lines come out exchanged as well.
  auto candidates = ranges;
  Mixing reversed = reference.mixing;
  std::reverse(reversed.rows.begin(), reversed.rows.end());
  if (h.mixing == reversed && !(h.mixing == reference.mixing)) {
    Range exchanged = ranges.front();
    std::reverse(exchanged.gain.begin(), exchanged.gain.end());
    std::reverse(exchanged.offset.begin(), exchanged.offset.end());
    candidates.insert(candidates.begin() + 1, exchanged);
  }
  const Named range = name_range(measured, candidates, frame, reference, h, *from);
  h.range = range.range;
  e.same_ranges = range.others;
  e.rho = range.rho;
  if ((!range.named || range.rho > kExact) && is_standardized(frame, reference)) {
    h.range = numbers(measured, reference);
    h.range.per_picture = true;
    h.range.name = "each picture's own mean and deviation";
    e.rho = residual(*from, target_values(frame, reference, h), reference, h, gain);
  }
  if (h.framing.has_bars()) {
    h.fill = measured_fill(frame, reference, where.reading, best, h.range, own.fill);
    e.rho = residual(frame, reference, h, gain).value_or(e.rho);
  }
  for (const Trial& trial : trials)
    if (trial.orientation != best.orientation && trial.fit.rho <= best.fit.rho + tolerance(best.fit.rho) &&
        std::find(e.same_orientations.begin(), e.same_orientations.end(), trial.orientation) == e.same_orientations.end())
      e.same_orientations.push_back(trial.orientation);
  keep_needed(frame, reference, own, e, gain);

  // Numbers without a name on codes may be a range or a quantisation: with another decoder's noise nobody can tell.
  const bool vague = reference.coded && !range.named && e.rho > allowed(0.5, reference);
  const bool explained = e.rho <= allowed(kDecoder, reference) && color.named && !vague;
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
