// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "archive/npz.h"
#include "core/file.h"
#include "core/text.h"
#include "postprocess/detection/recipe.h"
#include "postprocess/tables.h"

namespace edgeprobe::postprocess::detection {
namespace {

/// Reads an array [N, 4] of centre x, centre y, width, height.
Result<std::vector<Anchor>> anchors_of_file(const std::string& path) {
  EP_TRY(auto bytes, read_file(path));
  EP_TRY(auto file, archive::parse_npy(bytes, path));
  const auto wrong = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, "anchors in '" + sanitized(path) + "': " + why};
  };
  if (file.arrays.size() != 1 || file.arrays[0].spec.shape.size() != 2 ||
      file.arrays[0].spec.shape[1] != 4)
    return wrong("expected an array [N, 4] of centre x, centre y, width, height");
  EP_TRY(auto values, to_float(file.arrays[0]));
  std::vector<Anchor> list;
  for (std::size_t i = 0; i + 3 < values.size(); i += 4) {
    const float* const n = values.data() + i;
    for (std::size_t k = 0; k < 4; ++k)
      if (!std::isfinite(n[k]))
        return wrong("anchor " + std::to_string(i / 4) + " has a value that is no number");
    list.push_back({n[0], n[1], n[2], n[3]});
  }
  return list;
}

}  // namespace

Status load_labels(Recipe& recipe) {
  if (!recipe.labels) return {};
  Classification holder;  // Tables are read through a classifier's recipe.
  holder.labels = recipe.labels;
  EP_CHECK(load_tables(holder));
  recipe.labels = std::move(holder.labels);
  return {};
}

Status load_anchors(Recipe& recipe, int width, int height, std::size_t count) {
  if (recipe.decoding.coder == Coder::kBoxes) return {};
  const std::string& source = recipe.anchors.source;
  Result<std::vector<Anchor>> list = std::vector<Anchor>{};
  if (const FamilyRule* const rule = rule_of(recipe.head.family)) {
    list = anchors(*rule, recipe.maps.strides, {double(width), double(height)});
  } else if (source == "ssd") {
    list = anchors(ssd_rule(width, height));
  } else if (source == "ultraface") {
    SquaresRule rule;
    rule.width = width, rule.height = height;
    list = anchors(rule);
  } else if (source == "short_range" || source == "back_camera" || source == "full_range") {
    PointsRule rule;
    rule.width = width, rule.height = height;
    if (source == "back_camera") rule.strides = {16, 32};
    if (source == "full_range") rule.strides = {4}, rule.counts = {1};
    list = anchors(rule);
  } else if (source == "yolox") {
    CellsRule rule;
    rule.width = width, rule.height = height;
    list = anchors(rule);
    if (list->size() < count) rule.strides.push_back(64), list = anchors(rule);
  } else {
    list = anchors_of_file(source);
  }
  if (!list) return std::move(list).error();
  if (list->size() != count)
    return Error{ErrorKind::kUsage,
                 "decode: '" + sanitized(source) + "' has " + std::to_string(list->size()) +
                     " anchors, the output has boxes for " + std::to_string(count)};
  recipe.anchors.list = std::make_shared<const std::vector<Anchor>>(*std::move(list));
  return {};
}

}  // namespace edgeprobe::postprocess::detection
