// SPDX-License-Identifier: Apache-2.0
#include "postprocess/detection/map_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/text.h"
#include "postprocess/classify.h"
#include "postprocess/detection/maps.h"

namespace edgeprobe::postprocess::detection {
namespace {

std::size_t sum_of(const std::vector<Cells>& cells) {
  return std::accumulate(cells.begin(), cells.end(), std::size_t{0},
                         [](std::size_t sum, Cells one) { return sum + one.count(); });
}

// One output with the cells of one stride, or of all.
struct OneMap {
  std::size_t output = 0;
  Storage storage;
};

class Reader {
 public:
  Reader(const Recipe& recipe, std::span<const TensorView> outputs, Size model)
      : recipe_(recipe),
        outputs_(outputs),
        rule_(*rule_of(recipe.head.family)),
        model_(model),
        cells_(recipe.maps.strides.size()) {
    std::transform(recipe.maps.strides.begin(), recipe.maps.strides.end(), cells_.begin(),
                   [&](std::int64_t stride) { return cells_of(model, stride); });
  }

  Result<MapRows> rows() {
    EP_CHECK(find_maps());
    const Maps& maps = recipe_.maps;
    const bool is_centernet = rule_.family == Family::kCenternet;
    const std::size_t edges = 4 * maps.bins, tail = recipe_.head.tail;
    MapRows out;
    // Both outputs hold the cells of one stride.
    out.boxes = (is_centernet ? cells_[0].count() : sum_of(cells_)) * rule_.each;
    if (is_centernet) {
      EP_TRY(const auto centre, numbers(boxes_[0], 2));
      EP_TRY(const auto sides, numbers(boxes_[1], 2));
      for (std::size_t i = 0; i < out.boxes; ++i)
        for (const auto* from : {&centre, &sides})
          out.edges.insert(out.edges.end(), from->begin() + static_cast<std::ptrdiff_t>(2 * i),
                           from->begin() + static_cast<std::ptrdiff_t>(2 * i + 2));
    } else if (scores_.empty()) {
      EP_CHECK(read_joint(out, edges, points_.empty() ? tail : 0));
    } else {
      EP_TRY(out.edges, joined(boxes_, edges));
    }
    if (!scores_.empty()) {
      out.classes = scores_.front().storage.numbers;
      EP_TRY(out.scores, joined(scores_, out.classes));
    }
    if (!object_.empty()) {
      EP_TRY(out.object, joined(object_, 1));
    }
    if (!points_.empty()) {
      EP_TRY(out.points, joined(points_, tail));
    }
    return out;
  }

 private:
  const TensorSpec& spec(const OneMap& map) const { return *outputs_[map.output].spec; }
  Error misfit(const TensorSpec& output, const std::string& expected) const {
    std::vector<TensorSpec> all;
    for (const TensorView& one : outputs_) all.push_back(*one.spec);
    std::string why = "output '" + sanitized(output.name, 60) + "' is " +
                      edgeprobe::to_text(output.shape) + ", expected " + expected;
    const auto look = look_of_maps(all, model_, names());
    if (look && look->step.find(std::string(rule_.word) + ")") == std::string::npos)
      why += "; the outputs look like " + look->words + ": use " + look->step;
    return {ErrorKind::kUsage, why};
  }

  std::size_t names() const { return recipe_.labels ? recipe_.labels->table.names.size() : 0; }

  // Describes the cells of a stride.
  std::string cells_words(std::size_t level) const {
    const std::int64_t stride = recipe_.maps.strides[level];
    const Cells grid = cells_of(model_, stride);
    return std::to_string(grid.columns) + " x " + std::to_string(grid.rows) + " cells of stride " +
           std::to_string(stride) +
           (rule_.each > 1 ? ", " + std::to_string(rule_.each) + " boxes each" : "");
  }

  Status find_list(const std::vector<std::int64_t>& list, const char* what,
                   std::vector<OneMap>& to) {
    if (list.empty()) return {};
    const bool is_centernet = rule_.family == Family::kCenternet;
    const std::size_t expected =
        is_centernet && std::string_view(what) == "boxes" ? 2 : cells_.size();
    if (list.size() != expected && (is_centernet || list.size() != 1))
      return Error{
          ErrorKind::kUsage,
          std::string("maps: ") + what + " names " + std::to_string(list.size()) +
              " outputs, expected " + std::to_string(expected) +
              (is_centernet ? "" : ", one a stride, or one with the cells of all strides")};
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto index = static_cast<std::size_t>(list[i]);
      if (index >= outputs_.size())
        return Error{ErrorKind::kUsage, std::string("maps: ") + what + ": there is no output " +
                                            std::to_string(index) + ", the model has " +
                                            std::to_string(outputs_.size()) + ", counted from 0"};
      const bool is_whole = list.size() == 1;
      const Cells whole{sum_of(cells_), 1};
      const Cells cells = is_centernet ? cells_[0] : is_whole ? whole : cells_[i];
      const OneMap map{index, storage_of(outputs_[index].spec->shape, cells, rule_.each)};
      if (!map.storage.fits())
        return misfit(spec(map), is_whole && cells_.size() > 1
                                     ? std::to_string(cells.count() * rule_.each) + " boxes of " +
                                           std::to_string(cells_.size()) + " strides"
                                     : "the " + cells_words(is_centernet ? 0 : i));
      has_rows_ = has_rows_ || !map.storage.may_be_planes;
      has_planes_ = has_planes_ || !map.storage.may_be_rows;
      to.push_back(map);
    }
    return {};
  }

  Status find_maps() {
    const Maps& maps = recipe_.maps;
    const auto wrong = [](std::string why) { return Error{ErrorKind::kUsage, std::move(why)}; };
    if (!maps.points.empty() && recipe_.head.tail == 0)
      return wrong("maps: points are read by keypoints(COUNT, xy), which is not there");
    if (maps.points.empty() && !maps.scores.empty() && recipe_.head.tail > 0)
      return wrong("keypoints: maps(…) names no outputs of points: points=[…]");
    for (const std::int64_t stride : maps.strides)
      if (static_cast<double>(stride) > std::max(model_.width, model_.height))
        return wrong("decode: the stride " + std::to_string(stride) +
                     " is larger than the model's input");
    EP_CHECK(find_list(maps.boxes, "boxes", boxes_));
    EP_CHECK(find_list(maps.scores, "scores", scores_));
    EP_CHECK(find_list(maps.object, "object", object_));
    EP_CHECK(find_list(maps.points, "points", points_));
    return {};
  }

  /// `width` numbers of each box in one map.
  Result<std::vector<double>> numbers(const OneMap& map, std::size_t width) {
    if (map.storage.numbers != width)
      return misfit(spec(map),
                    std::to_string(width) + (width == 1 ? " number" : " numbers") + " a box");
    return rows_of(map);
  }

  // A map with as many numbers as columns is ambiguous; another map decides.
  bool has_planes(const OneMap& map) const {
    if (map.storage.may_be_rows != map.storage.may_be_planes) return map.storage.may_be_planes;
    return has_planes_ || (!has_rows_ && recipe_.head.is_by_columns);
  }

  Result<std::vector<double>> rows_of(const OneMap& map) const {
    EP_TRY(auto values, read_values(recipe_.reading, outputs_[map.output]));
    if (!has_planes(map)) return values;
    const std::size_t places = map.storage.places, planes = values.size() / places;
    std::vector<double> out(values.size());
    for (std::size_t plane = 0; plane < planes; ++plane)
      for (std::size_t place = 0; place < places; ++place)
        out[place * planes + plane] = values[plane * places + place];
    return out;
  }

  Result<std::vector<double>> joined(const std::vector<OneMap>& list, std::size_t width) {
    std::vector<double> out;
    for (const OneMap& map : list) {
      EP_TRY(const auto part, numbers(map, width));
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  // Reads boxes, scores and points from one output.
  Status read_joint(MapRows& out, std::size_t edges, std::size_t tail) {
    const std::size_t width = boxes_.front().storage.numbers;
    if (width <= edges + tail)
      return misfit(spec(boxes_.front()),
                    "over " + std::to_string(edges + tail) +
                        " numbers a box: " + std::to_string(edges) + " of its edges" +
                        (tail > 0 ? ", " + std::to_string(tail) + " of its points" : "") +
                        ", and scores");
    out.classes = width - edges - tail;
    EP_TRY(const auto all, joined(boxes_, width));
    const std::size_t first = rule_.are_scores_first ? out.classes : 0;
    const std::size_t score = rule_.are_scores_first ? 0 : edges;
    const auto take = [&](std::size_t from, std::size_t count, std::vector<double>& to) {
      for (std::size_t at = from; at < all.size(); at += width)
        to.insert(to.end(), all.begin() + static_cast<std::ptrdiff_t>(at),
                  all.begin() + static_cast<std::ptrdiff_t>(at + count));
    };
    take(first, edges, out.edges);
    take(score, out.classes, out.scores);
    if (tail > 0) take(width - tail, tail, out.points);
    return {};
  }

  const Recipe& recipe_;
  std::span<const TensorView> outputs_;
  const FamilyRule& rule_;
  Size model_;
  std::vector<Cells> cells_;
  bool has_rows_ = false, has_planes_ = false;
  std::vector<OneMap> boxes_, scores_, object_, points_;
};

// An edge of a box in cells, computed from its bins.
double edge_of(const double* bins, std::size_t count, BinsBy by) {
  if (by == BinsBy::kLargest)
    return static_cast<double>(std::max_element(bins, bins + count) - bins);
  const double most = *std::max_element(bins, bins + count);
  double all = 0, weighted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = by == BinsBy::kMean ? std::exp(bins[i] - most) : bins[i];
    all += weight, weighted += weight * static_cast<double>(i);
  }
  return all != 0 ? weighted / all : 0;
}

}  // namespace

Result<MapRows> read_maps(const Recipe& recipe, std::span<const TensorView> outputs, Size model) {
  EP_TRY(auto rows, Reader(recipe, outputs, model).rows());
  const std::size_t bins = recipe.maps.bins;
  if (bins > 1) {
    std::vector<double> edges(rows.edges.size() / bins);
    for (std::size_t i = 0; i < edges.size(); ++i)
      edges[i] = edge_of(rows.edges.data() + i * bins, bins, recipe.maps.bins_by);
    rows.edges = std::move(edges);
  }
  return rows;
}

void keep_peaks(std::vector<double>& scores, std::size_t classes, std::size_t columns) {
  if (classes == 0 || columns == 0) return;
  const std::vector<double> all = scores;
  const std::size_t rows = all.size() / classes / columns;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t id = 0; id < classes; ++id) {
        double& here = scores[(row * columns + column) * classes + id];
        for (std::size_t y = row > 0 ? row - 1 : 0; y <= std::min(row + 1, rows - 1); ++y)
          for (std::size_t x = column > 0 ? column - 1 : 0; x <= std::min(column + 1, columns - 1);
               ++x)
            if (all[(y * columns + x) * classes + id] > here) here = 0;
      }
}

std::size_t columns_of(const Recipe& recipe, Size model) {
  return recipe.maps.strides.empty() ? 0 : cells_of(model, recipe.maps.strides.front()).columns;
}

}  // namespace edgeprobe::postprocess::detection
