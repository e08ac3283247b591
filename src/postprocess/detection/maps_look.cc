// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "postprocess/detection/maps.h"

/// Recognises the head of several outputs by their sizes.
namespace edgeprobe::postprocess::detection {
namespace {

constexpr std::size_t kBinsOfYolo8 = 4 * 16, kBinsOfNanodet = 4 * 8;

// Outputs with equal numbers per box, one for each stride.
struct Group {
  std::size_t numbers = 0;
  std::vector<std::int64_t> outputs;  // -1: not found yet.
};
using Groups = std::vector<Group>;

// A stride whose cells an output may hold, and their storage.
struct Level {
  std::size_t level = 0;
  Storage storage;
};
std::vector<Level> levels_of(const Shape& shape, const FamilyRule& rule, Size model) {
  std::vector<Level> found;
  for (std::size_t level = 0; level < rule.strides.size(); ++level) {
    const Storage storage = storage_of(shape, cells_of(model, rule.strides[level]), rule.each);
    if (storage.fits()) found.push_back({level, storage});
  }
  return found;
}

Groups::iterator group_for(Groups& groups, const Level& level) {
  return std::find_if(groups.begin(), groups.end(), [&](const Group& one) {
    return one.numbers == level.storage.numbers && one.outputs[level.level] < 0;
  });
}

// Prefers the level that a group lacks; separate grid dimensions are more reliable than a number of
// cells.
const Level& best_of(const std::vector<Level>& levels, Groups& groups) {
  for (const Level& one : levels)
    if (group_for(groups, one) != groups.end()) return one;
  const auto grid = std::find_if(levels.begin(), levels.end(),
                                 [](const Level& one) { return one.storage.has_grid; });
  return grid != levels.end() ? *grid : levels.front();
}

// Divides all outputs into groups with one output for each stride; empty if that is impossible.
// Outputs that fit only one stride are assigned first.
Groups groups_of(std::span<const TensorSpec> outputs, const FamilyRule& rule, Size model) {
  Groups groups;
  for (const bool is_clear : {true, false})
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto levels = levels_of(outputs[i].shape, rule, model);
      if (levels.empty()) return {};
      if ((levels.size() == 1) != is_clear) continue;
      const Level& found = best_of(levels, groups);
      auto group = group_for(groups, found);
      if (group == groups.end()) {
        groups.push_back(
            {found.storage.numbers, std::vector<std::int64_t>(rule.strides.size(), -1)});
        group = groups.end() - 1;
      }
      group->outputs[found.level] = static_cast<std::int64_t>(i);
    }
  for (const Group& group : groups)
    for (const std::int64_t output : group.outputs)
      if (output < 0) return {};
  return groups;
}

std::vector<std::size_t> widths_of(const Groups& groups) {
  std::vector<std::size_t> out;
  for (const Group& group : groups) out.push_back(group.numbers);
  std::sort(out.begin(), out.end());
  return out;
}

std::string list_of(const Group& group) {
  std::string out;
  for (const std::int64_t output : group.outputs)
    out += (out.empty() ? "[" : ", ") + std::to_string(output);
  return out + "]";
}

const Group* with(const Groups& groups, std::size_t numbers, std::size_t which = 0) {
  for (const Group& group : groups)
    if (group.numbers == numbers && which-- == 0) return &group;
  return nullptr;
}

std::string classes_words(std::size_t classes) {
  return std::to_string(classes) + (classes == 1 ? " class" : " classes");
}

Look look(const FamilyRule& rule, const std::string& size, const std::string& maps,
          const std::string& after = "") {
  return {std::string(rule.name) + " (" + size + ")",
          "maps(" + maps + ") | decode(" + std::string(rule.word) + ")" + after, HeadKind::kMaps};
}

using Widths = std::vector<std::size_t>;

std::optional<Look> faces(std::span<const TensorSpec> outputs, Size model) {
  const FamilyRule& scrfd = *rule_of(Family::kScrfd);
  Groups groups = groups_of(outputs, scrfd, model);
  const Widths widths = widths_of(groups);
  if (widths == Widths{1, 4, 10})
    return look(scrfd, "two boxes a cell, 5 points",
                "boxes=" + list_of(*with(groups, 4)) + ", scores=" + list_of(*with(groups, 1)) +
                    ", points=" + list_of(*with(groups, 10)),
                " | keypoints(5, xy)");
  if (widths == Widths{1, 4})
    return look(scrfd, "two boxes a cell",
                "boxes=" + list_of(*with(groups, 4)) + ", scores=" + list_of(*with(groups, 1)));
  const FamilyRule& yunet = *rule_of(Family::kYunet);
  groups = groups_of(outputs, yunet, model);
  if (widths_of(groups) == Widths{1, 1, 4, 10})
    return look(yunet, "5 points",
                "boxes=" + list_of(*with(groups, 4)) + ", scores=" + list_of(*with(groups, 1)) +
                    ", object=" + list_of(*with(groups, 1, 1)) +
                    ", points=" + list_of(*with(groups, 10)),
                " | keypoints(5, xy)");
  return std::nullopt;
}

// Boxes with that many bins, and scores, in separate outputs.
std::optional<Look> two_lists(const Groups& groups, const FamilyRule& rule, std::size_t bins) {
  if (groups.size() != 2) return std::nullopt;
  const Group* const boxes = with(groups, bins);
  if (!boxes) return std::nullopt;
  const Group& scores = groups[boxes == groups.data() ? 1 : 0];
  return look(rule, classes_words(scores.numbers),
              "boxes=" + list_of(*boxes) + ", scores=" + list_of(scores));
}

std::optional<Look> yolo8(std::span<const TensorSpec> outputs, Size model, std::size_t names) {
  const FamilyRule& rule = *rule_of(Family::kYolo8);
  const Groups groups = groups_of(outputs, rule, model);
  if (groups.size() == 1 && groups[0].numbers > kBinsOfYolo8) {
    const std::size_t after = groups[0].numbers - kBinsOfYolo8;
    const std::string maps = "boxes=" + list_of(groups[0]);
    const std::size_t more = names > 0 && after > names ? after - names : 0;
    if (more > 0 && more % 3 == 0)
      return look(rule, classes_words(names) + ", " + std::to_string(more / 3) + " points", maps,
                  " | keypoints(" + std::to_string(more / 3) + ", xys)");
    return look(rule, classes_words(after), maps);
  }
  // Some exports add the sum of the scores of each cell.
  if (groups.size() == 3 && with(groups, 1) && with(groups, kBinsOfYolo8)) {
    Groups two;
    for (const Group& group : groups)
      if (&group != with(groups, 1)) two.push_back(group);
    return two_lists(two, rule, kBinsOfYolo8);
  }
  return two_lists(groups, rule, kBinsOfYolo8);
}

}  // namespace

std::optional<Look> look_of_maps(std::span<const TensorSpec> outputs, Size model,
                                 std::size_t names) {
  if (outputs.size() < 3 || !(model.width > 0 && model.height > 0)) return std::nullopt;
  if (auto found = faces(outputs, model)) return found;
  if (auto found = yolo8(outputs, model, names)) return found;
  for (const Family family : {Family::kPicodet, Family::kNanodet}) {
    const FamilyRule& rule = *rule_of(family);
    if (auto found = two_lists(groups_of(outputs, rule, model), rule, kBinsOfNanodet)) return found;
  }
  // The authors' order: scores, sizes, offsets.
  const FamilyRule& centernet = *rule_of(Family::kCenternet);
  const Groups groups = groups_of(outputs, centernet, model);
  if (groups.size() == 3 && groups[1].numbers == 2 && groups[2].numbers == 2)
    return look(centernet, classes_words(groups[0].numbers),
                "boxes=[" + std::to_string(groups[2].outputs[0]) + ", " +
                    std::to_string(groups[1].outputs[0]) + "], scores=" + list_of(groups[0]));
  return std::nullopt;
}

}  // namespace edgeprobe::postprocess::detection
