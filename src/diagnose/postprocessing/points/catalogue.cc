// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "diagnose/postprocessing/points/changes.h"
#include "search/rows.h"

namespace edgeprobe::diagnose::points {
namespace {

using postprocess::Activation;
using postprocess::Reading;

// COCO's 17 key points: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles; each left
// one before its right one.
constexpr std::size_t kCocoPoints = 17;

std::vector<std::string> swapped_names(const std::vector<std::string>& names) {
  std::vector<std::string> out = names;
  for (std::string& name : out)
    for (const auto& [from, to] : {std::pair("left", "right"), std::pair("right", "left"),
                                   std::pair("Left", "Right"), std::pair("Right", "Left")})
      if (const std::size_t at = name.find(from); at != std::string::npos) {
        name.replace(at, std::string(from).size(), to);
        break;
      }
  return out;
}

void add(std::vector<Change>& list, std::uint32_t sets, double weight, std::string words,
         std::function<void(Recipe&)> apply) {
  list.push_back({sets, weight, std::move(words), std::move(apply), 0});
}

void add_places(std::vector<Change>& list) {
  const recipe::Steps steps = postprocess::pose::steps();
  search::add_words(steps, "points.scale", kScale, list);
  search::add_words(steps, "points.mirror", kMirror, list, {1.1, 0});
  search::add_words(steps, "points.order", kFirst, list);
  search::add_words(steps, "points.cut", kCut, list, {1.2, 0});
}

void add_scores(const Predictions& predictions, const Recipe& recipe, std::vector<Change>& list) {
  if (recipe.numbers.find('s') != std::string::npos) {
    using enum Activation;
    const std::pair<std::vector<Activation>, const char*> chains[] = {
        {{}, "takes scores as they are, without an activation"},
        {{kSigmoid}, "applies a sigmoid to the scores"},
        {{kSigmoid, kSigmoid}, "applies a sigmoid to the scores twice"},
    };
    for (const auto& [chain, words] : chains)
      add(list, kActivation, 1 + 0.1 * static_cast<double>(chain.size()), words,
          [chain = chain](Recipe& r) { r.activations = chain; });
    if (recipe.threshold)
      add(list, kThreshold, 1, "shows points whatever their score",
          [](Recipe& r) { r.threshold.reset(); });
  }
  if (!predictions.is_quantised()) return;
  add(list, kReading, 1, "takes the output's codes for values, without dequantising them",
      [](Recipe& r) { r.reading = Reading::kCodes; });
  add(list, kReading, 1, "dequantises the output", [](Recipe& r) { r.reading = Reading::kValues; });
  add(list, kReading, 1.2, "dequantises the output without its zero point",
      [](Recipe& r) { r.reading = Reading::kNoZeroPoint; });
  add(list, kReading, 1.2, "takes signed codes for unsigned ones, or the other way round",
      [](Recipe& r) { r.reading = Reading::kFlippedSign; });
}

}  // namespace

std::vector<std::size_t> sides_exchanged(const Recipe& recipe, std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (recipe.labels && recipe.labels->table.names.size() >= count) {
    const auto& names = recipe.labels->table.names;
    const auto others = swapped_names(names);
    bool is_any = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = std::find(names.begin(), names.end(), others[i]);
      if (at == names.end() || static_cast<std::size_t>(at - names.begin()) >= count) return {};
      out[i] = static_cast<std::size_t>(at - names.begin());
      is_any = is_any || out[i] != i;
    }
    return is_any ? out : std::vector<std::size_t>{};
  }
  if (count != kCocoPoints) return {};
  for (std::size_t i = 1; i + 1 < count; i += 2) std::swap(out[i], out[i + 1]);
  return out;
}

std::vector<Change> catalogue(Predictions& predictions, const Recipe& recipe) {
  std::vector<Change> list;
  add_places(list);
  add_scores(predictions, recipe, list);
  const std::size_t count = predictions.points(recipe, 0).size();
  if (const auto sides = sides_exchanged(recipe, count); !sides.empty())
    add(list, kOrder, 1, "exchanges the names of left and right points",
        [sides](Recipe& r) { r.order = sides; });
  if (count > 1) {
    std::vector<std::size_t> reversed(count);
    std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
    add(list, kOrder, 1.2, "hands on points in reverse order",
        [reversed](Recipe& r) { r.order = reversed; });
  }
  return list;
}

}  // namespace edgeprobe::diagnose::points
