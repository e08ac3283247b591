// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/framings.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {
namespace {

using preprocess::Crop;
using preprocess::Resize;
using preprocess::Rounding;

constexpr std::size_t kKept = 2;

/// Common lengths of the shorter side for an input of `side` pixels: 256 for 224 as 1 / 0.875 or 32
/// pixels more, 232 for 224 (torchvision's second weights), timm's 0.9, 0.95 and 0.96, and the side
/// itself.
std::vector<int> usual_shorter_sides(int side) {
  std::vector<int> all;
  for (const double length :
       {side / 0.875 + 0.5, side / 0.875, side + 32.0, side * 232.0 / 224 + 0.5, side / 0.9,
        side / 0.95, side / 0.96, double(side)}) {
    const int shorter = int(std::floor(length + 1e-9));
    if (std::find(all.begin(), all.end(), shorter) == all.end()) all.push_back(shorter);
  }
  return all;
}

}  // namespace

std::vector<Framing> short_side_framings(const Reference& reference,
                                         const std::vector<Framing>& usual, int height, int width) {
  std::vector<Framing> all;
  for (const int shorter : usual_shorter_sides(std::max(reference.height, reference.width)))
    for (const auto offset : {Crop::Offset::kHalfEven, Crop::Offset::kFloor}) {
      const Framing next{
          {Resize{0, 0, reference.resampling, Rounding::kFloat, shorter},
           Crop{Crop::Kind::kSize, 1, 0, 0, reference.height, reference.width, 0, 0, offset}}};
      const auto lies_alike = [&](const Framing& other) {
        return same_placement(next.steps, other.steps, height, width);
      };
      if (!geometry(next.steps, height, width) ||
          std::any_of(usual.begin(), usual.end(), lies_alike) ||
          std::any_of(all.begin(), all.end(), lies_alike))
        continue;
      all.push_back(next);
    }
  return all;
}

std::vector<Framing> pixel_neighbours(const Framing& base, int height, int width) {
  std::vector<Framing> all;
  const auto window = [&](int top, int left, int rows, int columns) {
    if (rows < 8 || columns < 8) return;
    Framing next{base.steps, false};
    next.steps.insert(next.steps.begin(),
                      Crop{Crop::Kind::kWindow, 1, top, left, rows, columns, 0, 0});
    all.push_back(std::move(next));
  };
  for (int cut = 1; cut <= 4; ++cut) window(cut, cut, height - 2 * cut, width - 2 * cut);
  for (const auto& [rows, columns] : {std::pair{1, 0}, {0, 1}, {1, 1}}) {
    window(rows, columns, height - rows, width - columns);
    window(0, 0, height - rows, width - columns);
  }
  for (int down = -1; down <= 1; ++down)
    for (int right = -1; right <= 1; ++right) {
      if (down == 0 && right == 0) continue;
      Framing before{base.steps, false}, behind{base.steps, false};
      before.steps.insert(before.steps.begin(), preprocess::Shift{down, right});
      behind.steps.push_back(preprocess::Shift{down, right});
      all.push_back(std::move(before));
      all.push_back(std::move(behind));
    }
  return all;
}

std::vector<Framing> with_other_edges(const Framing& framing) {
  std::vector<Framing> all;
  for (const auto edge : {preprocess::Shift::Edge::kWrap, preprocess::Shift::Edge::kBlack}) {
    Framing next = framing;
    bool shifts = false;
    for (auto& step : next.steps)
      if (auto* shift = std::get_if<preprocess::Shift>(&step)) {
        shift->edge = edge;
        shifts = true;
      }
    if (shifts) all.push_back(std::move(next));
  }
  return all;
}

std::vector<Placement> nearest_placements(Frame& frame, const Reference& reference,
                                          const Interpretation& interpretation,
                                          const std::vector<Framing>& framings, const Trial& best,
                                          const ToneStep& tone_step) {
  std::vector<preprocess::Resampling> kernels = {best.resampling};
  const preprocess::Resampling smooth{preprocess::Kernel::kBilinear, preprocess::Align::kHalfPixel,
                                      true};
  if (!(best.resampling == smooth)) kernels.push_back(smooth);
  const Effort quick{row_step_for(reference, 9000), false, reference.rounding != Rounding::kFloat};
  struct Ranked {
    double residual;
    const Framing* framing;
  };
  std::vector<Ranked> ranked;
  for (const Framing& framing : framings) {
    Ranked next{1e300, &framing};
    for (const auto& kernel : kernels)
      if (const auto trial =
              try_geometry(frame, reference, interpretation,
                           {framing, best.placement.orientation, false}, kernel, tone_step, quick))
        next.residual = std::min(next.residual, trial->fit.residual);
    if (next.residual <= best.fit.residual) ranked.push_back(next);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.residual < b.residual; });
  std::vector<Placement> placements;
  for (const Ranked& r : ranked)
    if (placements.size() < kKept)
      placements.push_back({*r.framing, best.placement.orientation, false});
  return placements;
}

}  // namespace edgeprobe::diagnose
