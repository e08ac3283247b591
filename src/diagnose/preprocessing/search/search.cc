// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/search.h"

#include <algorithm>
#include <cmath>

#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Resampling;

bool Framing::has_letterbox() const {
  return std::any_of(steps.begin(), steps.end(), [](const auto& s) {
    return std::holds_alternative<preprocess::Letterbox>(s);
  });
}

bool Placement::operator==(const Placement& other) const {
  return orientation == other.orientation && turned_last == other.turned_last &&
         framing.reference == other.framing.reference &&
         framing.steps.size() == other.framing.steps.size() &&
         std::equal(framing.steps.begin(), framing.steps.end(), other.framing.steps.begin(),
                    [](const auto& x, const auto& y) {
                      return preprocess::to_text(x) == preprocess::to_text(y);
                    });
}

bool same_placement(const std::vector<preprocess::Step>& a, const std::vector<preprocess::Step>& b,
                    int height, int width) {
  const auto x = geometry(a, height, width), y = geometry(b, height, width);
  if (!x || !y) return false;
  return x->top == y->top && x->left == y->left && x->height == y->height && x->width == y->width &&
         x->rows.first == y->rows.first && x->columns.first == y->columns.first &&
         x->rows.weight == y->rows.weight && x->columns.weight == y->columns.weight;
}

namespace {

bool overshoots(const Resampling& r) {
  return r.kernel == Kernel::kBicubic || r.kernel == Kernel::kLanczos3 ||
         r.kernel == Kernel::kLanczos4;
}

// The reference's letterbox with other roundings of its sides or an odd bar.
std::vector<Framing> roundings_of(const Reference& reference) {
  std::vector<Framing> all;
  using enum preprocess::WholeSides;
  for (const auto sides : {kRound, kFloor, kCeil})
    for (const bool is_odd_first : {false, true}) {
      Framing framing{reference.geometry};
      for (auto& step : framing.steps)
        if (auto* bars = std::get_if<preprocess::Letterbox>(&step); bars && bars->centered)
          bars->sides = sides, bars->is_odd_first = is_odd_first;
      if (framing.has_letterbox()) all.push_back(std::move(framing));
    }
  return all;
}

}  // namespace

int row_step_for(const Reference& reference, int pixels) {
  return std::clamp(reference.height * reference.width / pixels, 1,
                    std::max(1, reference.height / 16));
}

std::vector<Framing> usual_framings(const Reference& reference, int height, int width) {
  const int h = reference.height, w = reference.width;
  const Resampling r = reference.resampling;
  const auto resize = [&] { return preprocess::Resize{h, w, r, preprocess::Rounding::kFloat}; };
  const auto crop = [](preprocess::Crop::Kind kind, double share) {
    return preprocess::Crop{kind, share, 0, 0, 0, 0, 0, 0};
  };
  const auto bars = [&](bool centered, bool at_end = false) {
    return preprocess::Letterbox{h, w, r, preprocess::Rounding::kFloat, 0, centered, at_end, {}};
  };
  using enum preprocess::Crop::Kind;
  std::vector<Framing> all = {{reference.geometry, true},
                              {{resize()}},
                              {{crop(kSquare, 1), resize()}},
                              {{crop(kFraction, 0.875), resize()}},
                              {{crop(kSquare, 0.875), resize()}},
                              {{bars(true)}},
                              {{bars(false)}},
                              {{bars(false, true)}}};
  for (const Framing& framing : roundings_of(reference)) all.push_back(framing);
  std::vector<Framing> kept;
  for (auto& framing : all) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Framing& other) {
      return same_placement(framing.steps, other.steps, height, width);
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

std::vector<Resampling> rare_resamplings(const Reference& reference) {
  std::vector<Resampling> all;
  if (!reference.resizes) return all;
  const auto usual = usual_resamplings(reference);
  using preprocess::Edge;
  for (Kernel kernel : {Kernel::kBicubic, Kernel::kLanczos3, Kernel::kLanczos4})
    for (double a : {-0.75, -0.5}) {
      if (kernel != Kernel::kBicubic && a != -0.75) continue;
      for (Align align : {Align::kHalfPixel, Align::kCorners, Align::kLegacy})
        for (Edge edge : {Edge::kReplicate, Edge::kDrop}) {
          if (edge == Edge::kDrop && align == Align::kHalfPixel && kernel == Kernel::kLanczos4)
            continue;
          Resampling r{kernel, align};
          r.cubic_a = a;
          r.edge = edge;
          all.push_back(r);
        }
      Resampling wide{kernel, Align::kHalfPixel, true};
      wide.cubic_a = a;
      all.push_back(wide);
    }
  std::erase_if(all, [&](const Resampling& r) {
    return std::find(usual.begin(), usual.end(), r) != usual.end();
  });
  return all;
}

std::vector<preprocess::Step> steps_of(const Placement& placement, const Resampling& resampling,
                                       preprocess::Rounding rounding) {
  auto steps = orientation_steps(placement.orientation);
  auto rest = with_resampling(placement.framing.steps, resampling, rounding);
  if (!placement.turned_last) {
    steps.insert(steps.end(), rest.begin(), rest.end());
    return steps;
  }
  if (swaps_sides(placement.orientation))
    for (auto& step : rest) {
      if (auto* to = std::get_if<preprocess::Resize>(&step)) std::swap(to->height, to->width);
      if (auto* bars = std::get_if<preprocess::Letterbox>(&step))
        std::swap(bars->height, bars->width);
      if (auto* crop = std::get_if<preprocess::Crop>(&step);
          crop && crop->kind == preprocess::Crop::Kind::kSize)
        std::swap(crop->height, crop->width);
    }
  rest.insert(rest.end(), steps.begin(), steps.end());
  return rest;
}

void apply_tone_step(preprocess::Raster& pixels, const ToneStep& tone_step) {
  if (tone_step.gray && pixels.channels == 3) {
    const std::size_t n = pixels.values.size() / 3;
    for (std::size_t p = 0; p < n; ++p) {
      double sum = 0.5;
      for (std::size_t c = 0; c < 3; ++c)
        sum += tone_step.weights[c] * double(pixels.values[3 * p + c]);
      pixels.values[p] = float(std::floor(sum));
    }
    pixels.values.resize(n);
    pixels.channels = 1;
  }
  if (!tone_step.step) return;
  if (const auto* tone = std::get_if<preprocess::Tone>(&*tone_step.step))
    (void)preprocess::tone(pixels, *tone);
  if (const auto* recode = std::get_if<preprocess::Recode>(&*tone_step.step))
    preprocess::recode(pixels, *recode, preprocess::ChannelOrder::kRgb);
}

std::optional<Content> content_of(Frame& frame, const Reference& reference,
                                  const Placement& placement, const Resampling& resampling,
                                  const Effort& effort) {
  auto g = geometry(steps_of(placement, resampling, preprocess::Rounding::kFloat),
                    frame.upright.height, frame.upright.width);
  if (!g || g->height != reference.height || g->width != reference.width) return std::nullopt;
  if (g->turned && frame.transposed.pixels.empty()) frame.transposed = laid_as(frame.upright, 7);
  Content out;
  out.row_step = g->rows.out < 4 * effort.row_step ? 1 : effort.row_step;
  out.begin = out.row_step > 1 ? out.row_step / 2 : 0;
  out.pixels = project(frame.laid(g->turned), *g, out.row_step);
  if (effort.clip && overshoots(resampling))
    for (float& v : out.pixels.values) v = std::clamp(v, 0.f, 255.f);
  out.geometry = std::move(*g);
  return out;
}

std::optional<Trial> measured(const Content& content, const Reference& reference,
                              const Interpretation& interpretation, const Placement& placement,
                              const Resampling& resampling, const ToneStep& tone_step,
                              const Effort& effort) {
  const Geometry& g = content.geometry;
  preprocess::Raster toned;
  const preprocess::Raster* pixels = &content.pixels;
  if (tone_step.step || tone_step.gray) {
    toned = content.pixels;
    // Curves are steep in places, so 8-bit rounding before them matters.
    if (effort.clip)
      for (float& v : toned.values) v = std::floor(std::clamp(v, 0.f, 255.f) + 0.5f);
    apply_tone_step(toned, tone_step);
    pixels = &toned;
  }
  Trial trial{placement, resampling, tone_step, {}, {}};
  const int c = reference.channels, step = content.row_step;
  const auto& target = interpretation.target.values;
  for (int i = 0; i < pixels->height; ++i) {
    const std::size_t at = std::size_t(g.top + content.begin + i * step) * g.width + g.left;
    add(trial.sums, pixels->values.data() + std::size_t(i) * pixels->width * pixels->channels,
        pixels->channels, effort.squares, target.data() + at * c, c,
        interpretation.keep.empty() ? nullptr : interpretation.keep.data() + at,
        std::size_t(pixels->width));
  }
  if (g.has_letterbox()) {
    // The fit excludes the bars: their value is measured, and their variation counts as residual.
    double sum[3] = {}, squares = 0, count = 0;
    for (int y = content.begin; y < g.height; y += step)
      for (int x = 0; x < g.width; ++x) {
        const bool inside =
            y >= g.top && y < g.top + g.rows.out && x >= g.left && x < g.left + g.columns.out;
        if (inside) continue;
        for (int k = 0; k < c; ++k) {
          const double v = target[(std::size_t(y) * g.width + x) * c + k];
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

std::optional<Trial> try_geometry(Frame& frame, const Reference& reference,
                                  const Interpretation& interpretation, const Placement& placement,
                                  const Resampling& resampling, const ToneStep& tone_step,
                                  const Effort& effort) {
  const auto content = content_of(frame, reference, placement, resampling, effort);
  if (!content) return std::nullopt;
  return measured(*content, reference, interpretation, placement, resampling, tone_step, effort);
}

std::vector<Trial> try_resamplings(Frame& frame, const Reference& reference,
                                   const Interpretation& interpretation,
                                   const std::vector<Placement>& placements,
                                   const std::vector<Resampling>& kernels,
                                   const ToneStep& tone_step) {
  const Effort quick{row_step_for(reference, 9000), false, true};
  const bool clip = reference.rounding != preprocess::Rounding::kFloat;
  std::vector<Trial> trials;
  for (const Placement& placement : placements)
    for (const auto& resampling : kernels)
      if (auto trial = try_geometry(frame, reference, interpretation, placement, resampling,
                                    tone_step, {quick.row_step, false, clip}))
        trials.push_back(std::move(*trial));
  const auto by_residual = [](const Trial& a, const Trial& b) {
    return a.fit.residual < b.fit.residual;
  };
  std::stable_sort(trials.begin(), trials.end(), by_residual);
  if (quick.row_step == 1 || trials.empty()) return trials;
  // Ranks the kernels on some of the rows; measures those near the best, and the reference's, on
  // all rows.
  const double near = trials.front().fit.residual * 1.3 + 0.25;
  for (auto& trial : trials) {
    const bool own = trial.placement.framing.reference && trial.resampling == reference.resampling;
    if (trial.fit.residual > near && !own) continue;
    if (auto full = try_geometry(frame, reference, interpretation, trial.placement,
                                 trial.resampling, tone_step, {1, false, clip}))
      trial = std::move(*full);
  }
  std::stable_sort(trials.begin(), trials.end(), by_residual);
  return trials;
}

}  // namespace edgeprobe::diagnose
