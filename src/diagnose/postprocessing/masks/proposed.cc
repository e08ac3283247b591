// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "diagnose/postprocessing/masks/changes.h"
#include "search/numbers.h"

namespace edgeprobe::diagnose::masks {
namespace {

using postprocess::segmentation::Decision;
using postprocess::segmentation::Resizing;

// Fraction of a class's pixels that must map to the same number.
constexpr double kOneColumn = 0.98;
// At most this many renamed classes are listed one by one.
constexpr std::size_t kToldOneByOne = 4;
// Cost of a fitted threshold.
constexpr double kThresholdBits = 11;

void add_size(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  bool as_cells = true, as_picture = true, exchanged = true, as_one = true, is_unlike = false;
  const trace::Mask& first = predictions.observed(0);
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const trace::Mask& mask = predictions.observed(i);
    const Size picture = predictions.picture(i);
    const auto is = [&mask](double height, double width) {
      return mask.height == height && mask.width == width;
    };
    const auto [rows, columns] = predictions.cells(recipe, i);
    as_cells = as_cells && is(static_cast<double>(rows), static_cast<double>(columns));
    as_picture = as_picture && is(picture.height, picture.width);
    exchanged = exchanged && is(picture.width, picture.height);
    as_one = as_one && mask.height == first.height && mask.width == first.width;
    is_unlike = is_unlike || !predictions.classes_at(recipe, i);
  }
  if (!is_unlike) return;
  const auto add = [&out](double weight, std::string words, std::function<void(Recipe&)> apply) {
    out.push_back({kSize, weight, std::move(words), std::move(apply), 0});
  };
  if (as_cells && recipe.resizing)
    add(1, "does not resize the mask", [](Recipe& r) { r.resizing.reset(); });
  if (as_picture)
    add(1, "resizes the mask to the picture", [](Recipe& r) {
      if (!r.resizing) r.resizing.emplace();
      r.resizing->to.reset();
    });
  if (exchanged && !as_picture)
    add(1.1, "takes the picture's width for its height when it resizes the mask", [](Recipe& r) {
      if (!r.resizing) r.resizing.emplace();
      r.resizing->to.reset();
      r.resizing->are_sides_exchanged = true;
    });
  if (as_one && !as_cells && !(as_picture && recipe.resizing) && first.height <= 16384 &&
      first.width <= 16384)
    add(1.2,
        "resizes the mask to " + std::to_string(first.height) + " x " +
            std::to_string(first.width) + " in every picture",
        [to =
             Size{static_cast<double>(first.width), static_cast<double>(first.height)}](Recipe& r) {
          if (!r.resizing) r.resizing.emplace();
          r.resizing->to = to;
        });
}

using ClassMap = std::map<std::int32_t, std::int32_t>;

std::string map_words(const ClassMap& map) {
  const bool is_exchanged = std::all_of(map.begin(), map.end(), [&map](const auto& one) {
    const auto back = map.find(one.second);
    return back != map.end() && back->second == one.first;
  });
  if (is_exchanged && map.size() == 2)
    return "exchanges classes " + std::to_string(map.begin()->first) + " and " +
           std::to_string(map.begin()->second);
  const bool is_left_out =
      std::all_of(map.begin(), map.end(), [](const auto& one) { return one.second == 0; });
  if (is_left_out) {
    std::string list;
    for (const auto& [from, to] : map) list += (list.empty() ? "" : ", ") + std::to_string(from);
    return (map.size() == 1 ? "leaves out class " : "leaves out classes ") + list;
  }
  std::string list;
  std::size_t told = 0;
  for (const auto& [from, to] : map) {
    if (told++ == kToldOneByOne) {
      list += " and " + std::to_string(map.size() - kToldOneByOne) + " more";
      break;
    }
    list += (list.empty() ? "" : ", ") + std::to_string(to) + " for " + std::to_string(from);
  }
  return "hands on other class numbers: " + list;
}

bool is_constant(const Predictions& predictions) {
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const Sample& sample = predictions.sample(i);
    if (!sample.is_constant || sample.pixels[0].number != predictions.sample(0).pixels[0].number)
      return false;
  }
  return true;
}

// Proposes a class map if each predicted class maps to one recorded number.
void add_map(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (!recipe.renamed.empty() || recipe.shift != 0) return;
  std::map<std::int32_t, std::int32_t> class_of;  // Keyed by recorded number.
  if (recipe.colors)
    for (std::size_t i = 0; i < recipe.colors->numbers.size(); ++i)
      class_of.emplace(postprocess::segmentation::number_of(recipe, static_cast<std::int32_t>(i)),
                       static_cast<std::int32_t>(i));
  std::map<std::int32_t, std::map<std::int32_t, double>> table;
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const auto* const said = predictions.classes_at(recipe, i);
    if (!said) return;
    const auto& pixels = predictions.sample(i).pixels;
    for (std::size_t k = 0; k < said->size(); ++k)
      table[(*said)[k]][pixels[k].number] += pixels[k].stands_for;
  }
  ClassMap moved;
  std::size_t up = 0, down = 0;
  for (const auto& [one, numbers] : table) {
    double all = 0, most = 0;
    std::int32_t number = 0;
    for (const auto& [to, count] : numbers) {
      all += count;
      if (count > most) most = count, number = to;
    }
    if (most < kOneColumn * all) continue;
    if (recipe.colors) {
      const auto known = class_of.find(number);
      if (known == class_of.end()) return;
      number = known->second;
    }
    if (number != one) moved[one] = number;
    up += number - one == 1, down += one - number == 1;
  }
  // A constant mask is not a map, and a common offset is a separate change.
  const bool is_shift = table.size() > 1 && std::max(up, down) == table.size();
  if (moved.empty() || is_shift || is_constant(predictions)) return;
  const double free_bits =
      static_cast<double>(moved.size()) * std::log2(static_cast<double>(predictions.classes()));
  out.push_back(
      {kRenamed, 1.2, map_words(moved), [moved](Recipe& r) { r.renamed = moved; }, free_bits});
}

void add_threshold(Predictions& predictions, const Recipe& recipe, std::vector<Change>& out) {
  if (recipe.decision != Decision::kThreshold) return;
  std::vector<double> shown, hidden;
  const std::int32_t background = postprocess::segmentation::number_of(recipe, 0);
  for (std::size_t i = 0; i < predictions.frames(); ++i) {
    const auto scores = predictions.scores_at(recipe, i);
    const auto& pixels = predictions.sample(i).pixels;
    for (std::size_t k = 0; k < scores.size(); ++k)
      (pixels[k].number == background ? hidden : shown).push_back(scores[k]);
  }
  if (shown.empty() || hidden.empty()) return;
  // Ignores one value in a thousand on either side: ties at borders may have put it there.
  const auto outer = [](std::vector<double>& values, double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  const double low = outer(hidden, 0.999), high = outer(shown, 0.001);
  if (!(low < high)) return;
  const double value = search::shortest_between(low, high);
  if (value == recipe.threshold || (low < recipe.threshold && recipe.threshold <= high)) return;
  out.push_back({kThreshold, 1, "shows pixels from a score of " + number(value, 4) + " on",
                 [value](Recipe& r) { r.threshold = value; }, kThresholdBits});
}

}  // namespace

std::vector<Change> proposed(Predictions& predictions, const Recipe& recipe) {
  std::vector<Change> out;
  add_size(predictions, recipe, out);
  add_map(predictions, recipe, out);
  add_threshold(predictions, recipe, out);
  return out;
}

}  // namespace edgeprobe::diagnose::masks
