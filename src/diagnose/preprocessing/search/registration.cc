// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/search.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Raster;
using preprocess::Resampling;

constexpr int kTemplate = 20;  ///< Short side of the template, in cells.
constexpr double kLeastR2 = 0.7;

/// A part of the upright picture, in fractions of its height and width.
struct Window {
  double top = 0, left = 0, height = 1, width = 1;
};

Raster brightness(const preprocess::Image& image) {
  Raster out{image.height, image.width, 1,
             std::vector<float>(std::size_t(image.height) * image.width)};
  const int c = image.channels;
  for (std::size_t p = 0; p < out.values.size(); ++p) {
    int sum = 0;
    for (int k = 0; k < c; ++k) sum += image.pixels[p * c + k];
    out.values[p] = float(sum) / float(c);
  }
  return out;
}

Raster brightness(const Raster& raster) {
  Raster out{raster.height, raster.width, 1,
             std::vector<float>(std::size_t(raster.height) * raster.width)};
  double mean = 0;
  for (float v : raster.values) mean += v;
  mean /= double(raster.values.size());
  const int c = raster.channels;
  double squares = 0;
  for (float v : raster.values) squares += (v - mean) * (v - mean);
  const double scale = 1 / std::max(1e-12, std::sqrt(squares / double(raster.values.size())));
  for (std::size_t p = 0; p < out.values.size(); ++p) {
    double sum = 0;
    for (int k = 0; k < c; ++k) sum += raster.values[p * c + k];
    out.values[p] = float((sum / c - mean) * scale);
  }
  return out;
}

Raster shrunk(const Raster& raster, int height, int width) {
  if (raster.height == height && raster.width == width) return raster;
  const Resampling r =
      height <= raster.height && width <= raster.width ? Resampling{Kernel::kArea} : Resampling{};
  return project(raster, preprocess::resampling_matrix(r, raster.height, height),
                 preprocess::resampling_matrix(r, raster.width, width));
}

struct Match {
  double correlation = 0;
  Window window;
};

/// The target's best position in the picture for one window size, by normalised correlation.
Match match(const Raster& picture, const Raster& target, double height_share, double width_share) {
  const int h = target.height, w = target.width;
  double sum = 0, squares = 0;
  for (float v : target.values) {
    sum += v;
    squares += double(v) * v;
  }
  const double n = double(h) * w, mean = sum / n, spread = squares - sum * sum / n;
  Match best{-1, {0, 0, height_share, width_share}};
  for (int y = 0; y + h <= picture.height; ++y)
    for (int x = 0; x + w <= picture.width; ++x) {
      double s = 0, ss = 0, st = 0;
      for (int i = 0; i < h; ++i) {
        const float* p = picture.values.data() + std::size_t(y + i) * picture.width + x;
        const float* t = target.values.data() + std::size_t(i) * w;
        float a = 0, b = 0, c = 0;
        for (int j = 0; j < w; ++j) {
          a += p[j];
          b += p[j] * p[j];
          c += p[j] * (t[j] - float(mean));
        }
        s += a;
        ss += b;
        st += c;
      }
      const double var = ss - s * s / n;
      const double r = var > 1e-6 && spread > 1e-9 ? std::abs(st) / std::sqrt(var * spread) : 0;
      if (r > best.correlation) {
        best.correlation = r;
        best.window.top = double(y) / picture.height;
        best.window.left = double(x) / picture.width;
      }
    }
  return best;
}

std::vector<Match> matches(const Raster& picture, const Raster& target) {
  std::vector<Match> all;
  const double h = picture.height, w = picture.width, side = std::min(h, w);
  std::vector<std::array<double, 2>> sizes;
  for (double f : {1.0, 0.95, 0.9, 0.875, 0.8, 0.7, 0.6}) {
    sizes.push_back({h * f, w * f});
    if (h != w) sizes.push_back({side * f, side * f});
  }
  for (const auto& [wh, ww] : sizes) {
    const double s = kTemplate / std::min(wh, ww);
    const int th = std::max(8, int(std::lround(wh * s))),
              tw = std::max(8, int(std::lround(ww * s)));
    const int ph = std::max(th, int(std::lround(h * th / wh))),
              pw = std::max(tw, int(std::lround(w * tw / ww)));
    const auto small =
        project(picture,
                preprocess::resampling_matrix({Kernel::kBilinear, Align::kHalfPixel, true},
                                              picture.height, ph),
                preprocess::resampling_matrix({Kernel::kBilinear, Align::kHalfPixel, true},
                                              picture.width, pw));
    all.push_back(match(small, shrunk(target, th, tw), wh / h, ww / w));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Match& a, const Match& b) { return a.correlation > b.correlation; });
  return all;
}

struct Registered {
  Window window;
  double r2 = -1;
};

/// Gauss-Newton on the start and length of both axes, from coarse to fine.
Registered refine(const Raster& picture, const Raster& target, Window w) {
  Registered out;
  const std::array<std::pair<int, int>, 3> plan = {{{32, 6}, {64, 4}, {1 << 20, 3}}};
  for (const auto& [most, rounds] : plan) {
    const int h = std::min(most, target.height), c = std::min(most, target.width);
    const auto seen = shrunk(target, h, c);
    for (int round = 0; round < rounds; ++round) {
      const auto g = project(
          picture,
          window_matrix(picture.height, h, w.top * picture.height, w.height * picture.height),
          window_matrix(picture.width, c, w.left * picture.width, w.width * picture.width));
      std::vector<float> columns(std::size_t(h) * c * 5);
      const auto at = [&](int y, int x) {
        return g.values[std::size_t(std::clamp(y, 0, h - 1)) * c + std::clamp(x, 0, c - 1)];
      };
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < c; ++x) {
          float* to = columns.data() + (std::size_t(y) * c + x) * 5;
          const float down =
              (at(y + 1, x) - at(y - 1, x)) * float(h) / (y == 0 || y == h - 1 ? 1.f : 2.f);
          const float across =
              (at(y, x + 1) - at(y, x - 1)) * float(c) / (x == 0 || x == c - 1 ? 1.f : 2.f);
          to[0] = at(y, x);
          to[1] = down;
          to[2] = across;
          to[3] = down * (float(y) + 0.5f) / float(h);
          to[4] = across * (float(x) + 0.5f) / float(c);
        }
      Sums sums;
      add(sums, columns.data(), 5, false, seen.values.data(), 1, nullptr, std::size_t(h) * c);
      const Fit f = fit(sums);
      const auto& k = f.lines[0].coefficients;
      if (std::abs(k[0]) < 1e-12) return out;
      const auto move = [&](int i) { return std::clamp(k[i] / k[0], -0.08, 0.08); };
      const double dy = move(1), dx = move(2), sy = move(3), sx = move(4);
      w = {w.top + dy * w.height, w.left + dx * w.width, w.height * (1 + sy), w.width * (1 + sx)};
      if (w.height < 0.2 || w.height > 2 || w.width < 0.2 || w.width > 2 || std::abs(w.top) > 1 ||
          std::abs(w.left) > 1)
        return out;
      out = {w, f.r2};
      const double moved = std::max({std::abs(dy), std::abs(dx), std::abs(sy), std::abs(sx)});
      if (moved * std::max(h, c) < 0.01) break;
    }
  }
  return out;
}

struct Box {
  double top, left, height, width;
};

/// The box after the picture was oriented by `o`.
Box laid(Box b, Orientation o, double height, double width) {
  if (o & 4) b.left = width - b.left - b.width;
  for (int k = 0; k < (o & 3); ++k) {
    b = {b.left, height - b.top - b.height, b.width, b.height};
    std::swap(height, width);
  }
  return b;
}

Framing window_framing(const Reference& reference, int top, int left, int height, int width) {
  return {{preprocess::Crop{preprocess::Crop::Kind::kWindow, 1, top, left, height, width, 0, 0},
           preprocess::Resize{reference.height, reference.width, reference.resampling,
                              preprocess::Rounding::kFloat}}};
}

/// Expresses a centred window so that it fits pictures of any size, if possible.
Framing in_shares(const Framing& framing, int height, int width) {
  const auto box = std::get<preprocess::Crop>(framing.steps[0]);
  for (const auto kind : {preprocess::Crop::Kind::kFraction, preprocess::Crop::Kind::kSquare}) {
    const int base = kind == preprocess::Crop::Kind::kSquare ? std::min(height, width) : height;
    for (double unit : {0.05, 0.01, 0.001}) {
      const double share = std::round(double(box.height) / base / unit) * unit;
      if (share <= 0 || share > 1) continue;
      Framing named{{preprocess::Crop{kind, share, 0, 0, 0, 0, 0, 0}, framing.steps[1]}};
      const auto a = geometry(named.steps, height, width),
                 b = geometry(framing.steps, height, width);
      if (a && b && a->rows.first == b->rows.first && a->columns.first == b->columns.first &&
          a->rows.weight == b->rows.weight && a->columns.weight == b->columns.weight)
        return named;
    }
  }
  return framing;
}

}  // namespace

std::vector<Trial> try_windows(Frame& frame, const Reference& reference,
                               const Interpretation& interpretation, Orientation orientation,
                               const ToneStep& tone_step) {
  const auto picture = brightness(frame.upright);
  const auto target = brightness(interpretation.target);
  struct Side {
    double score;
    Orientation orientation;
    std::vector<Match> matches;
  };
  std::vector<Side> sides;
  for (Orientation o = 0; o < kOrientations; ++o) {
    Side side{0, o, matches(picture, laid_as(target, inverse(o)))};
    side.score = side.matches.front().correlation + 0.01 * (o == orientation) +
                 0.01 * (o == reference.orientation);
    sides.push_back(std::move(side));
  }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return a.score > b.score; });
  Registered best;
  Orientation turned = orientation;
  for (std::size_t i = 0; i < 3; ++i) {
    if (sides[i].score < sides[0].score - 0.15) break;
    const auto upright_target = laid_as(target, inverse(sides[i].orientation));
    Registered side_best;
    std::vector<Window> starts = {Window{}};
    for (std::size_t k = 0; k < 3 && k < sides[i].matches.size(); ++k)
      starts.push_back(sides[i].matches[k].window);
    if (starts.size() > 1) std::swap(starts[0], starts[1]);
    for (const Window& start : starts) {
      const auto found = refine(picture, upright_target, start);
      if (found.r2 > side_best.r2) side_best = found;
      if (side_best.r2 > 0.997) break;
    }
    if (side_best.r2 > best.r2 + 0.002) {
      best = side_best;
      turned = sides[i].orientation;
    }
  }
  if (best.r2 < kLeastR2) return {};

  const int raw_h = frame.upright.height, raw_w = frame.upright.width;
  const Window& w = best.window;
  Box box = laid({w.top * raw_h, w.left * raw_w, w.height * raw_h, w.width * raw_w}, turned, raw_h,
                 raw_w);
  const int h = swaps_sides(turned) ? raw_w : raw_h, c = swaps_sides(turned) ? raw_h : raw_w;

  // Snaps to the size of a usual window within 2 %.
  int wh = int(std::lround(box.height)), ww = int(std::lround(box.width));
  double nearest = 0.02;
  std::vector<std::array<int, 2>> usual = {{h, c}, {std::min(h, c), std::min(h, c)}};
  for (double f : {0.875, 0.9, 0.8}) {
    usual.push_back({int(std::lround(h * f)), int(std::lround(c * f))});
    usual.push_back({int(std::lround(std::min(h, c) * f)), int(std::lround(std::min(h, c) * f))});
  }
  for (const auto& [uh, uw] : usual) {
    const double off = std::max(std::abs(box.height / uh - 1), std::abs(box.width / uw - 1));
    if (off < nearest) {
      nearest = off;
      wh = uh;
      ww = uw;
    }
  }
  wh = std::min(wh, h);
  ww = std::min(ww, c);
  box.top += (box.height - wh) / 2;
  box.left += (box.width - ww) / 2;

  const double sy = double(wh) / reference.height, sx = double(ww) / reference.width;
  const int step =
      std::clamp(reference.height * reference.width / 5000, 1, std::max(1, reference.height / 16));
  const bool clip = reference.rounding != preprocess::Rounding::kFloat;
  std::vector<std::pair<double, Framing>> scored;
  for (const Resampling& resampling : usual_resamplings(reference)) {
    double top = box.top, left = box.left;
    if (resampling.align == Align::kLegacy) {
      // These kernels sample above and to the left of the cell's centre.
      const bool nearest_kernel = resampling.kernel == Kernel::kNearest;
      top += nearest_kernel ? sy / 2 : (sy - 1) / 2;
      left += nearest_kernel ? sx / 2 : (sx - 1) / 2;
    }
    for (int dy = 0; dy < 2; ++dy)
      for (int dx = 0; dx < 2; ++dx) {
        const int y = std::clamp(int(std::floor(top)) + dy, 0, h - wh),
                  x = std::clamp(int(std::floor(left)) + dx, 0, c - ww);
        const auto framing = window_framing(reference, y, x, wh, ww);
        if (const auto trial =
                try_geometry(frame, reference, interpretation, {framing, turned, false}, resampling,
                             tone_step, {step, false, clip}))
          scored.push_back({trial->fit.residual, framing});
      }
  }
  if (scored.empty()) return {};
  const auto least = std::min_element(
      scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return try_resamplings(frame, reference, interpretation,
                         {{in_shares(least->second, h, c), turned, false}},
                         usual_resamplings(reference), tone_step);
}

}  // namespace edgeprobe::diagnose
