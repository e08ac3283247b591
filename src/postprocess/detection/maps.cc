// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/maps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace edgeprobe::postprocess::detection {
namespace {

const std::vector<std::int64_t> kThree{8, 16, 32}, kFour{8, 16, 32, 64}, kOne{4};

const std::array kRules{
    FamilyRule{Family::kYolo8, "yolo8_raw", "YOLOv8's head without its decoding", Coder::kDistances,
               kThree, 16, 1, 0.5, 0, false, 2, 0},
    FamilyRule{Family::kNanodet, "nanodet", "NanoDet's head", Coder::kDistances, kThree, 8, 1, 0.5,
               -0.5},
    FamilyRule{Family::kNanodetPlus, "nanodet_plus", "NanoDet-Plus's head", Coder::kDistances,
               kFour, 8, 1, 0, 0, true},
    FamilyRule{Family::kPicodet, "picodet", "PicoDet's head", Coder::kDistances, kFour, 8, 1, 0.5},
    FamilyRule{Family::kScrfd, "scrfd", "SCRFD's head", Coder::kDistances, kThree, 1, 2, 0, 0},
    FamilyRule{Family::kYunet, "yunet", "YuNet's head", Coder::kSsd, kThree, 1, 1, 0, 0},
    FamilyRule{Family::kCenternet, "centernet", "CenterNet's head", Coder::kCells, kOne, 1, 1, 0,
               0},
};

std::size_t product(const Shape& shape, std::size_t first, std::size_t end) {
  std::size_t all = 1;
  for (std::size_t i = first; i < end; ++i)
    all *= static_cast<std::size_t>(std::max<std::int64_t>(shape[i], 0));
  return all;
}

}  // namespace

Cells cells_of(Size model, std::int64_t stride) {
  const auto side = [&](double pixels) {
    return static_cast<std::size_t>(std::ceil(pixels / static_cast<double>(stride)));
  };
  return {side(model.width), side(model.height)};
}

Storage storage_of(const Shape& shape, Cells cells, std::size_t each) {
  Storage out;
  // Sides from `first` on that hold the cells; the others are the numbers of a box, `by` times.
  const auto take = [&](std::size_t first, std::size_t end, std::size_t by) {
    const std::size_t before = product(shape, 0, first), after = product(shape, end, shape.size());
    if (before * after == 0 || before * after % by != 0) return;
    if (before != 1 && after != 1) return;
    out.may_be_rows = out.may_be_rows || before == 1;
    out.may_be_planes = out.may_be_planes || after == 1;
    out.places = product(shape, first, end);
    out.numbers = before * after / by;
  };
  const auto is = [&](std::size_t i, std::size_t side) {
    return i < shape.size() && shape[i] == static_cast<std::int64_t>(side);
  };
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (is(i, cells.rows) && is(i + 1, cells.columns)) take(i, i + 2, each);
  out.has_grid = out.fits();
  for (std::size_t i = 0; i < shape.size() && !out.has_grid; ++i)
    if (is(i, cells.count() * each)) take(i, i + 1, 1);
  for (std::size_t i = 0; i < shape.size() && !out.fits(); ++i)
    if (is(i, cells.count())) take(i, i + 1, each);
  return out;
}

const FamilyRule* rule_of(Family family) {
  for (const FamilyRule& rule : kRules)
    if (rule.family == family) return &rule;
  return nullptr;
}

std::vector<Anchor> anchors(const FamilyRule& rule, const std::vector<std::int64_t>& strides,
                            Size model) {
  std::vector<Anchor> out;
  for (const std::int64_t each : strides) {
    const auto stride = static_cast<double>(each);
    const Cells grid = cells_of(model, each);
    const double offset = rule.centre * stride + rule.centre_pixels;
    for (std::size_t row = 0; row < grid.rows; ++row)
      for (std::size_t column = 0; column < grid.columns; ++column)
        for (std::size_t i = 0; i < rule.each; ++i)
          out.push_back({(static_cast<double>(column) * stride + offset) / model.width,
                         (static_cast<double>(row) * stride + offset) / model.height,
                         stride / model.width, stride / model.height});
  }
  return out;
}

}  // namespace edgeprobe::postprocess::detection
