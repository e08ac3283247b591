// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "diagnose/preprocessing/search/search.h"

namespace edgeprobe::diagnose {
namespace {

constexpr int kCells = 16;
/// Allowed increase in roughness: a sparsely sampled picture may get slightly rougher with correct
/// sign bits.
constexpr double kRougher = 1.15;
constexpr double kPenalty = 0.004;  ///< Reduces R² for each difference from the reference.

/// Columns of the coarse fit: x and x², and with bars the fraction of the cell covered by the
/// picture.
preprocess::Raster columns_of(const Frame& frame, const Geometry& g) {
  const int rows = std::min(kCells, g.height), columns = std::min(kCells, g.width);
  std::vector<float> down, across;
  const auto row_cells = in_cells(g.rows, g.top, g.height, rows, down);
  const auto column_cells = in_cells(g.columns, g.left, g.width, columns, across);
  const Geometry cells{g.turned, row_cells, column_cells, rows, columns, 0, 0, 0, {}};
  const auto picture = project(frame.laid(g.turned), cells);
  const int c = picture.channels, wide = 2 * c + (g.has_letterbox() ? 1 : 0);
  preprocess::Raster out{rows, columns, wide,
                         std::vector<float>(std::size_t(rows) * columns * wide)};
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const float* from = picture.values.data() + (std::size_t(y) * columns + x) * c;
      float* to = out.values.data() + (std::size_t(y) * columns + x) * wide;
      const float share = down[y] * across[x];
      for (int k = 0; k < c; ++k) {
        to[k] = from[k];
        to[c + k] = share > 1e-6f ? from[k] * from[k] / share / 255 : 0;
      }
      if (g.has_letterbox()) to[2 * c] = share;
    }
  return out;
}

/// True if a framing is the same after any rotation or flip: one projection serves all eight
/// orientations.
bool is_symmetric(const Framing& framing, int height, int width) {
  for (const auto& step : framing.steps) {
    if (const auto* crop = std::get_if<preprocess::Crop>(&step)) {
      if (crop->kind == preprocess::Crop::Kind::kWindow || crop->down != 0 || crop->right != 0)
        return false;
    } else if (const auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
      if (!bars->centered || height != width) return false;
    } else if (!std::holds_alternative<preprocess::Resize>(step)) {
      return false;
    }
  }
  return std::count_if(framing.steps.begin(), framing.steps.end(), [](const auto& s) {
           return std::holds_alternative<preprocess::Resize>(s);
         }) <= 1;
}

preprocess::Raster cells_of(const preprocess::Raster& target) {
  const auto area = [](int n) {
    return preprocess::resampling_matrix({preprocess::Kernel::kArea}, n, std::min(kCells, n));
  };
  return project(target, area(target.height), area(target.width));
}

}  // namespace

std::vector<Candidate> coarse_candidates(Frame& frame, const Reference& reference,
                                         const std::vector<Framing>& framings) {
  const int h = frame.upright.height, w = frame.upright.width;
  const bool odd_sides = reference.height != reference.width;
  // Indexed [framing][orientation]; empty if the framing does not fit.
  std::vector<std::vector<preprocess::Raster>> columns(framings.size());
  for (std::size_t f = 0; f < framings.size(); ++f) {
    const bool symmetric = is_symmetric(framings[f], reference.height, reference.width) &&
                           std::min(reference.height, reference.width) >= kCells;
    columns[f].resize(kOrientations);
    for (Orientation o = 0; o < kOrientations; ++o) {
      if (o > 0 && symmetric) {
        columns[f][o] = laid_as(columns[f][0], o);
        continue;
      }
      if (swaps_sides(o) && frame.transposed.pixels.empty())
        frame.transposed = laid_as(frame.upright, 7);
      const auto g = geometry(
          steps_of({framings[f], o, false}, reference.resampling, preprocess::Rounding::kFloat), h,
          w);
      if (g && g->height == reference.height && g->width == reference.width)
        columns[f][o] = columns_of(frame, *g);
      else if (o == 0 && symmetric) break;
    }
  }

  std::vector<Order> orders = {reference.order};
  if (reference.channels > 1)
    for (Order order : {Order::kHwc, Order::kChw, Order::kHcw})
      if (order != reference.order) orders.push_back(order);
  if (odd_sides) orders.push_back(Order::kWhc);

  std::vector<Candidate> candidates;
  for (Order order : orders) {
    const auto upright =
        arranged(frame.stored, order, reference.height, reference.width, reference.channels);
    double varied = 0;
    for (int flip = 0; flip < 2; ++flip) {
      preprocess::Raster target = upright;
      if (flip) {
        // Inverts the sign bit only if codes exist on both sides of the middle and the picture
        // becomes smoother.
        const bool bytes = reference.coded && reference.highest - reference.lowest == 255;
        if (!bytes) break;
        const float middle = float(reference.lowest + 128);
        const auto above = std::count_if(frame.stored.begin(), frame.stored.end(),
                                         [&](float v) { return v >= middle; });
        const double share = double(above) / double(frame.stored.size());
        if (share < 0.01 || share > 0.99) break;
        target = arranged(sign_flipped(frame.stored, reference.lowest), order, reference.height,
                          reference.width, reference.channels);
        if (total_variation(target) >= kRougher * varied) break;
      } else if (reference.coded) {
        varied = total_variation(upright);
      }
      const auto cells = cells_of(target);
      for (std::size_t f = 0; f < framings.size(); ++f)
        for (Orientation o = 0; o < kOrientations; ++o) {
          const auto& x = columns[f][o];
          if (x.values.empty() || x.height != cells.height || x.width != cells.width) continue;
          Sums sums;
          add(sums, x.values.data(), x.channels, false, cells.values.data(), cells.channels,
              nullptr, std::size_t(x.height) * x.width);
          Candidate candidate{order, flip == 1, o, int(f), fit(sums).r2, 0};
          candidate.score =
              candidate.r2 - kPenalty * ((order != reference.order) + (flip == 1) +
                                         (o != reference.orientation) + !framings[f].reference);
          candidates.push_back(candidate);
        }
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return candidates;
}

}  // namespace edgeprobe::diagnose
