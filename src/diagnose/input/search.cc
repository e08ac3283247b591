#include "diagnose/input/search.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Resampling;

bool Framing::has_bars() const {
  return !steps.empty() && std::holds_alternative<preprocess::Letterbox>(steps.back());
}

namespace {

bool same_place(const std::vector<preprocess::Step>& a, const std::vector<preprocess::Step>& b, int height, int width) {
  const auto x = geometry(a, height, width), y = geometry(b, height, width);
  if (!x || !y) return false;
  return x->top == y->top && x->left == y->left && x->height == y->height && x->width == y->width &&
         x->rows.first == y->rows.first && x->columns.first == y->columns.first && x->rows.weight == y->rows.weight &&
         x->columns.weight == y->columns.weight;
}

/// Rows enough for about this many pixels.
int row_step_for(const Reference& reference, int pixels) {
  return std::clamp(reference.height * reference.width / pixels, 1, std::max(1, reference.height / 16));
}

bool overshoots(const Resampling& r) {
  return r.kernel == Kernel::kBicubic || r.kernel == Kernel::kLanczos3 || r.kernel == Kernel::kLanczos4;
}

}  // namespace

std::vector<Framing> usual_framings(const Reference& reference, int height, int width) {
  const int h = reference.height, w = reference.width;
  const Resampling r = reference.resampling;
  const auto resize = [&] { return preprocess::Resize{h, w, r, preprocess::Rounding::kFloat}; };
  const auto crop = [](preprocess::Crop::Kind kind, double share) { return preprocess::Crop{kind, share, 0, 0, 0, 0}; };
  const auto bars = [&](bool centered) {
    return preprocess::Letterbox{h, w, r, preprocess::Rounding::kFloat, 0, centered};
  };
  using enum preprocess::Crop::Kind;
  std::vector<Framing> all = {{reference.geometry, true},
                              {{resize()}},
                              {{crop(kSquare, 1), resize()}},
                              {{crop(kFraction, 0.875), resize()}},
                              {{crop(kSquare, 0.875), resize()}},
                              {{bars(true)}},
                              {{bars(false)}}};
  std::vector<Framing> kept;
  for (auto& framing : all) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Framing& other) {
      return same_place(framing.steps, other.steps, height, width);
    });
    if (!known || framing.reference) kept.push_back(std::move(framing));
  }
  return kept;
}

std::vector<Resampling> usual_resamplings(const Reference& reference) {
  std::vector<Resampling> all = {reference.resampling};
  if (!reference.resizes) return all;
  const auto push = [&](Resampling r) {
    if (std::find(all.begin(), all.end(), r) == all.end()) all.push_back(r);
  };
  using enum Align;
  push({Kernel::kBilinear, kHalfPixel, true});
  push({Kernel::kBilinear, kHalfPixel});
  push({Kernel::kNearest, kLegacy});
  push({Kernel::kNearest, kHalfPixel});
  push({Kernel::kArea, kHalfPixel});
  push({Kernel::kBilinear, kLegacy});
  push({Kernel::kBilinear, kCorners});
  push({Kernel::kBicubic, kHalfPixel});
  push({Kernel::kBicubic, kHalfPixel, true, -0.5});
  push({Kernel::kNearest, kCorners});
  push({Kernel::kBox, kHalfPixel, true});
  push({Kernel::kBicubic, kHalfPixel, false, -0.5});
  push({Kernel::kBicubic, kCorners});
  push({Kernel::kLanczos4, kHalfPixel});
  push({Kernel::kLanczos3, kHalfPixel});
  push({Kernel::kLanczos3, kHalfPixel, true});
  push({Kernel::kNearest, kHalfPixel, false, -0.75, preprocess::Grid::kFixed16});
  push({Kernel::kNearest, kHalfPixel, false, -0.75, preprocess::Grid::kFloat32});
  return all;
}

std::vector<preprocess::Step> steps_of(const Framing& framing, Orientation orientation, const Resampling& resampling,
                                       preprocess::Rounding rounding) {
  auto steps = orientation_steps(orientation);
  const auto rest = with_resampling(framing.steps, resampling, rounding);
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

std::optional<Trial> try_geometry(Frame& frame, const Reference& reference, const Reading& reading,
                                  const Framing& framing, Orientation orientation, const Resampling& resampling,
                                  const Effort& effort) {
  const auto g = geometry(steps_of(framing, orientation, resampling, preprocess::Rounding::kFloat),
                          frame.upright.height, frame.upright.width);
  if (!g || g->height != reference.height || g->width != reference.width) return std::nullopt;
  if (g->turned && frame.transposed.pixels.empty()) frame.transposed = oriented(frame.upright, 7);
  const int step = g->rows.out < 4 * effort.row_step ? 1 : effort.row_step;
  auto content = project(frame.laid(g->turned), *g, step);
  if (effort.clip && overshoots(resampling))
    for (float& v : content.values) v = std::clamp(v, 0.f, 255.f);

  Trial trial{framing, orientation, resampling, {}, {}};
  const int c = reference.channels, begin = step > 1 ? step / 2 : 0;
  const auto& target = reading.target.values;
  for (int i = 0; i < content.height; ++i) {
    const std::size_t at = std::size_t(g->top + begin + i * step) * g->width + g->left;
    add(trial.sums, content.values.data() + std::size_t(i) * content.width * content.channels, content.channels,
        effort.squares, target.data() + at * c, c, reading.keep.empty() ? nullptr : reading.keep.data() + at,
        std::size_t(content.width));
  }
  if (g->has_bars()) {
    // The bars take no part in the fit: their value is measured, what varies in them is residual.
    double sum[3] = {}, squares = 0, count = 0;
    for (int y = begin; y < g->height; y += step)
      for (int x = 0; x < g->width; ++x) {
        const bool inside = y >= g->top && y < g->top + g->rows.out && x >= g->left && x < g->left + g->columns.out;
        if (inside) continue;
        for (int k = 0; k < c; ++k) {
          const double v = target[(std::size_t(y) * g->width + x) * c + k];
          sum[k] += v;
          squares += v * v;
        }
        ++count;
      }
    if (count > 0) {
      for (int k = 0; k < c; ++k) squares -= sum[k] * sum[k] / count;
      trial.sums.bars += std::max(0.0, squares);
      trial.sums.bar_count += count * c;
    }
  }
  if (trial.sums.count < 16) return std::nullopt;
  trial.fit = fit(trial.sums);
  return trial;
}

std::vector<Trial> try_resamplings(Frame& frame, const Reference& reference, const Reading& reading,
                                   const std::vector<std::pair<Framing, Orientation>>& places) {
  const Effort quick{row_step_for(reference, 9000), false, true};
  const bool clip = reference.rounding != preprocess::Rounding::kFloat;
  std::vector<Trial> trials;
  for (const auto& [framing, orientation] : places)
    for (const auto& resampling : usual_resamplings(reference))
      if (auto trial = try_geometry(frame, reference, reading, framing, orientation, resampling,
                                    {quick.row_step, false, clip}))
        trials.push_back(std::move(*trial));
  const auto by_rho = [](const Trial& a, const Trial& b) { return a.fit.rho < b.fit.rho; };
  std::stable_sort(trials.begin(), trials.end(), by_rho);
  if (quick.row_step == 1 || trials.empty()) return trials;
  // A part of the rows ranks the kernels; those near the best, and the reference's, are measured on all.
  const double near = trials.front().fit.rho * 1.3 + 0.25;
  for (auto& trial : trials) {
    const bool own = trial.framing.reference && trial.resampling == reference.resampling;
    if (trial.fit.rho > near && !own) continue;
    if (auto full = try_geometry(frame, reference, reading, trial.framing, trial.orientation, trial.resampling,
                                 {1, false, clip}))
      trial = std::move(*full);
  }
  std::stable_sort(trials.begin(), trials.end(), by_rho);
  return trials;
}

}  // namespace edgeprobe::diagnose
