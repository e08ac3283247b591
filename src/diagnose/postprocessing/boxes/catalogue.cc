// SPDX-License-Identifier: Apache-2.0
#include <numbers>
#include <numeric>
#include <utility>

#include "core/text.h"
#include "diagnose/postprocessing/boxes/changes.h"
#include "search/rows.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using namespace postprocess::detection;  // NOLINT(google-build-using-namespace): its words alone.
using postprocess::Activation;
using postprocess::Reading;
using postprocess::TableOrder;

class List {
 public:
  void add(std::uint32_t sets, double weight, std::string words,
           std::function<void(Recipe&)> apply) {
    Change change;
    change.sets = sets;
    change.weight = weight;
    change.words = std::move(words);
    change.apply = std::move(apply);
    changes_.push_back(std::move(change));
  }
  /// Adds a change for every word of a recipe argument.
  void words(const char* argument, std::uint32_t sets, search::Weights weights = {}) {
    search::add_words(steps(), argument, sets, changes_, weights);
  }
  std::vector<Change>& all() { return changes_; }
  std::vector<Change> take() { return std::move(changes_); }

 private:
  std::vector<Change> changes_;
};

void add_orders(const Recipe& recipe, List& list) {
  const bool is_anchored = recipe.decoding.coder != Coder::kBoxes;
  const bool has_distances = recipe.decoding.coder == Coder::kDistances;
  search::add_words(steps(), "decode.order", kCodeOrder, list.all(), {},
                    [&](const recipe::Word& word) {
                      const bool corners = is_of_corners(static_cast<CodeOrder>(word.value));
                      if (has_distances) return corners;
                      if (corners) return !is_anchored;
                      // With separate class scores, boxes have corners.
                      return !recipe.is_suppressed() || !recipe.is_apart();
                    });
  list.words("boxes.numbers", kReport, {1.1, 0.1});
}

void add_places(List& list) {
  list.words("boxes.scale", kScale);
  list.words("boxes.mirror", kMirror, {1.2, 0});
}

void add_activations(const Recipe& recipe, List& list) {
  using enum Activation;
  const std::pair<std::vector<Activation>, const char*> chains[] = {
      {{}, "takes scores as they are, without an activation"},
      {{kSigmoid}, "applies a sigmoid to the scores"},
      {{kSoftmax}, "applies a softmax to the scores"},
      {{kSigmoid, kSigmoid}, "applies a sigmoid to the scores twice"},
      {{kSoftmax, kSoftmax}, "applies a softmax to the scores twice"},
      {{kSoftmax, kSigmoid}, "applies a softmax and then a sigmoid to the scores"},
      {{kSigmoid, kSoftmax}, "applies a sigmoid and then a softmax to the scores"},
      {{kLogSoftmax}, "takes the logarithm of a softmax"},
      {{kShare}, "divides the scores by their sum"},
      {{kBatchSoftmax}, "applies a softmax over the wrong axis (every score is 1)"},
  };
  double weight = 1;
  for (const auto& [chain, words] : chains) {
    const bool over_classes =
        !chain.empty() && (chain.front() != kSigmoid || chain.back() != kSigmoid);
    // These detectors have one score per box.
    if (recipe.is_suppressed() && over_classes) continue;
    list.add(kActivation, weight, words, [chain = chain](Recipe& r) { r.activations = chain; });
    weight += 0.1;
  }
}

void add_readings(List& list) {
  const std::pair<Reading, const char*> readings[] = {
      {Reading::kValues, "dequantises the outputs"},
      {Reading::kCodes, "takes the outputs' codes for values, without dequantising them"},
      {Reading::kNoZeroPoint, "dequantises the outputs without their zero point"},
      {Reading::kFlippedSign, "takes signed codes for unsigned ones, or the other way round"},
      {Reading::kFlippedCodes,
       "takes codes for values, and signed ones for unsigned ones or the other way round"},
      {Reading::kFlippedNoZeroPoint,
       "ignores the zero point and takes signed codes for unsigned ones or the other way round"},
  };
  double weight = 1;
  for (const auto& [reading, words] : readings) {
    list.add(kReading, weight, words, [reading = reading](Recipe& r) { r.reading = reading; });
    weight += 0.2;
  }
  list.add(kScalesExchanged, 1, "dequantises boxes with the scale of the scores and vice versa",
           [](Recipe& r) { r.scales_exchanged = !r.scales_exchanged; });
}

void add_labels(const Predictions& predictions, const Recipe& recipe, List& list) {
  if (predictions.judged() == Judged::kNothing) return;
  const int stated = predictions.reference().labels ? predictions.reference().labels->shift : 0;
  const std::pair<int, const char*> shifts[] = {
      {-1, "gives each class the label of the one before"},
      {1, "gives each class the label of the next one"},
      {2, "gives each class the label of the one after the next"},
  };
  for (const auto& [by, words] : shifts)
    list.add(kShift, by == 2 ? 2 : 1, words, [shift = stated + by](Recipe& r) {
      if (!r.labels) r.labels.emplace();
      r.labels->shift = shift;
    });
  if (predictions.judged() != Judged::kNames || !recipe.labels) return;
  const std::pair<TableOrder, const char*> orders[] = {
      {TableOrder::kAlphabetical, "has sorted its labels alphabetically"},
      {TableOrder::kNoCase, "has sorted its labels without regard to case"},
      {TableOrder::kAsText, "has sorted class numbers as text (0, 1, 10, 100)"},
      {TableOrder::kReversed, "has reversed its labels"},
      {TableOrder::kOther, "takes its labels from the other file"},
  };
  double weight = 1.1;
  for (const auto& [order, words] : orders) {
    if (order == TableOrder::kOther && !recipe.labels->other) continue;
    list.add(kTable, weight, words, [order = order](Recipe& r) { r.labels->order = order; });
    weight += 0.1;
  }
}

void add_decoding(const Recipe& recipe, List& list) {
  if (recipe.decoding.coder == Coder::kBoxes) return;
  const bool has_variances =
      recipe.decoding.coder != Coder::kDistances && recipe.decoding.coder != Coder::kCells;
  const std::pair<double, double> variances[] = {{0.1, 0.2}, {1, 1},     {0.2, 0.1},
                                                 {0.1, 0.1}, {0.2, 0.2}, {10, 5}};
  for (const auto& [centre, size] : variances)
    if (has_variances)
      list.add(kVariances, centre == 10 ? 1.3 : 1.1,
               centre == 1 && size == 1 ? "decodes boxes without variances"
                                        : "decodes boxes with the variances " + number(centre, 3) +
                                              " and " + number(size, 3),
               [centre = centre, size = size](Recipe& r) {
                 r.decoding.centre_variance = centre, r.decoding.size_variance = size;
               });
  const std::pair<AnchorWalk, const char*> walks[] = {
      {AnchorWalk::kReversed, "has its anchors in reverse order"},
      {AnchorWalk::kColumns, "has its anchors column by column"},
      {AnchorWalk::kCorner, "has its anchors at the corner of each cell, not at the centre"},
      {AnchorWalk::kCentre, "has its anchors at the centre of each cell, not at the corner"},
  };
  const bool is_at_corner =
      recipe.anchors.list && !recipe.anchors.list->empty() && recipe.anchors.list->front().x == 0;
  for (const auto& [walk, words] : walks)
    if (walk != (is_at_corner ? AnchorWalk::kCorner : AnchorWalk::kCentre))
      list.add(kWalk, 1, words, [walk = walk](Recipe& r) { r.anchors.walk = walk; });
  if (recipe.decoding.coder == Coder::kSsd)
    list.add(kCoder, 1, "decodes the sides of boxes without an exponential",
             [](Recipe& r) { r.decoding.coder = Coder::kLinear; });
  list.add(kCoder, 1, "takes the codes for boxes, without decoding them", [](Recipe& r) {
    const bool y_first = r.decoding.order == CodeOrder::kCycxhw;
    r.decoding.coder = Coder::kBoxes;
    r.decoding.order = y_first ? CodeOrder::kYxyx : CodeOrder::kXyxy;
  });
  list.add(kCoder, 1.2, "takes the codes for centres and sides, without decoding them",
           [](Recipe& r) { r.decoding.coder = Coder::kBoxes; });
}

// Adds changes for heads with an output for each stride.
void add_maps(const Recipe& recipe, List& list) {
  if (!recipe.maps.object.empty()) {
    list.words("decode.objectness", kObjectness);
    if (recipe.head.objectness == Objectness::kRoot)
      list.add(kObjectness, 1, "multiplies objectness and score, without the root of the product",
               [](Recipe& r) { r.head.objectness = Objectness::kFactor; });
  }
  if (recipe.maps.bins > 1) {
    list.add(kBins, 1.1, "takes the most likely distance of an edge in place of the mean",
             [](Recipe& r) { r.maps.bins_by = BinsBy::kLargest; });
    list.add(kBins, 1.1, "averages distances of an edge without a softmax",
             [](Recipe& r) { r.maps.bins_by = BinsBy::kShares; });
  }
  if (recipe.head.family == Family::kCenternet)
    list.add(kHead, 1, "keeps cells next to one with a better score",
             [](Recipe& r) { r.head.keeps_neighbours = true; });
}

// A single output that holds boxes, scores and classes.
void add_head(const Recipe& recipe, List& list) {
  if (recipe.decoding.coder == Coder::kBoxes) list.words("decode.unit", kUnit);
  if (recipe.is_apart() || recipe.is_suppressed()) return;
  if (recipe.has_maps()) return add_maps(recipe, list);
  if (recipe.head.kind == HeadKind::kObject) {
    list.words("decode.objectness", kObjectness);
    list.add(kHead, 1.1, "takes the objectness for the score of the first class",
             [](Recipe& r) { r.head.kind = HeadKind::kScores, r.head.is_mistaken = true; });
  } else {
    list.add(kHead, 1.1, "takes the score of the first class for an objectness",
             [](Recipe& r) { r.head.kind = HeadKind::kObject, r.head.is_mistaken = true; });
  }
  list.add(kHead, 1.2,
           recipe.head.is_by_columns ? "reads the output as rows, without transposing it"
                                     : "transposes the output, which has a row for each box",
           [](Recipe& r) { r.head.is_taken_as_stored = !r.head.is_taken_as_stored; });
}

// The order with left and right exchanged, for COCO's 17 points, in which each left point precedes
// its right one.
std::vector<std::size_t> sides_exchanged(std::size_t count) {
  constexpr std::size_t kCocoPoints = 17;
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  for (std::size_t i = 1; count == kCocoPoints && i + 1 < count; i += 2)
    std::swap(out[i], out[i + 1]);
  return out;
}

void add_points(const Predictions& predictions, const Recipe& recipe, List& list) {
  const Keypoints& points = recipe.keypoints;
  if (!predictions.judges_points() || points.count == 0) return;
  const std::pair<Scale, const char*> scales[] = {
      {Scale::kModelPixels, "leaves points in pixels of the model's input"},
      {Scale::kShares, "leaves points as shares (0..1)"},
      {Scale::kStretched, "scales points by the picture's sides, as if it had been stretched"},
      {Scale::kLetterbox, "scales points as if the picture had bars right or below"},
  };
  for (const auto& [scale, words] : scales)
    if (scale != recipe.placement.scale)
      list.add(kPointPlace, 1.1, words, [scale = scale](Recipe& r) { r.keypoints.scale = scale; });
  list.add(kPointOrder, 1.1, "hands on y before x of points",
           [](Recipe& r) { r.keypoints.is_y_first = true; });
  if (const auto sides = sides_exchanged(points.count); points.count > 1 && sides[1] != 1)
    list.add(kPointOrder, 1, "exchanges left and right points",
             [sides](Recipe& r) { r.keypoints.order = sides; });
  if (recipe.decoding.coder != Coder::kBoxes)
    list.add(kPointAnchor, 1.1, "takes codes of points for places, without those of their cells",
             [](Recipe& r) { r.keypoints.are_not_moved = true; });
  if (points.numbers.find('s') == std::string::npos) return;
  if (points.shown)
    list.add(kPointShown, 1, "shows points whatever their score",
             [](Recipe& r) { r.keypoints.shown.reset(); });
  for (const double least : {0.2, 0.25, 0.3, 0.5, 0.65})
    list.add(kPointShown, 1.1, "shows points from a score of " + number(least, 3) + " on",
             [least](Recipe& r) { r.keypoints.shown = least; });
}

void add_angles(const Recipe& recipe, List& list) {
  if (!recipe.is_turned) return;
  constexpr double kDegrees = 180 / std::numbers::pi;
  const std::pair<double, const char*> factors[] = {
      {-1, "turns boxes the other way"},
      {0, "leaves out the angle of boxes"},
      {1 / kDegrees, "takes an angle in radians for degrees"},
      {kDegrees, "takes an angle in degrees for radians"},
  };
  for (const auto& [factor, words] : factors)
    list.add(kAngle, 1, words, [factor = factor](Recipe& r) { r.angle_by = factor; });
  const std::pair<OverlapOf, const char*> overlaps[] = {
      {OverlapOf::kUnion, "suppresses turned boxes as if they were upright"},
      {OverlapOf::kTurned, "suppresses turned boxes by the area that they share"},
      {OverlapOf::kGaussians, "suppresses turned boxes by their likeness as Gaussians"},
  };
  for (const auto& [of, words] : overlaps)
    if (of != recipe.suppression.of)
      list.add(kRivals, 1.1, words, [of = of](Recipe& r) { r.suppression.of = of; });
  list.add(kRivals, 1.5,
           recipe.suppression.is_by_all ? "suppresses boxes only by those that stay"
                                        : "suppresses boxes also by those that went",
           [](Recipe& r) { r.suppression.is_by_all = !r.suppression.is_by_all; });
}

// Uses the overlap that libraries use for upright boxes.
void make_usual(Recipe& recipe) {
  if (!recipe.is_turned) recipe.suppression.of = OverlapOf::kUnion;
}

void add_suppression(const Recipe& recipe, List& list) {
  list.add(kRivals, 1, "keeps all boxes, without non-maximum suppression",
           [](Recipe& r) { r.suppression.rivals = Rivals::kNone, make_usual(r); });
  list.add(kRivals, 1.1, "suppresses boxes over all classes",
           [](Recipe& r) { r.suppression.rivals = Rivals::kAllClasses, make_usual(r); });
  list.add(kRivals, 1.2, "suppresses boxes of each class apart",
           [](Recipe& r) { r.suppression.rivals = Rivals::kSameClass, make_usual(r); });
  list.add(kRivals, 1.3, "suppresses boxes by their overlap with the smaller one",
           [](Recipe& r) { r.suppression.of = OverlapOf::kSmallerArea; });
  list.add(kRivals, 1.4, "suppresses boxes as if they were one pixel wider and higher",
           [](Recipe& r) { r.suppression.of = OverlapOf::kUnionOfPixels; });
  list.add(kRivals, 1.5,
           recipe.suppression.is_weighted ? "keeps the best of boxes that overlap as it is"
                                          : "averages boxes that overlap, weighted by their scores",
           [](Recipe& r) { r.suppression.is_weighted = !r.suppression.is_weighted; });
  for (const double offset : {1.0, 10.0, 100.0, 320.0, 416.0, 512.0, 640.0})
    list.add(kRivals, 1.6,
             "keeps classes apart by moving their boxes by " + number(offset, 4) +
                 " pixels each, which is too little",
             [offset](Recipe& r) {
               r.suppression.rivals = Rivals::kAllClasses;
               r.suppression.class_offset = offset;
             });
  list.add(kSorted, 1.1, "suppresses boxes before it sorts them",
           [](Recipe& r) { r.suppression.is_sorted = false; });
  if (recipe.suppression.rivals == Rivals::kNone) return;
  for (const double limit : {0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.65, 0.7, 0.8, 0.9})
    list.add(kLimit, 1.1, "suppresses boxes from an overlap of " + number(limit, 3) + " on",
             [limit](Recipe& r) { r.suppression.limit = limit; });
}

void add_classes(const Recipe& recipe, List& list) {
  if (recipe.skip > 0)
    list.add(
        kSkip, 1.1,
        recipe.skips_last ? "counts \"no object\" as a class" : "counts the background as a class",
        [skip = recipe.skip](Recipe& r) { r.skip = skip - 1; });
  list.add(kSkip, 1.2, recipe.skip > 0 ? "skips one class too many" : "skips the first class",
           [skip = recipe.skip](Recipe& r) { r.skip = skip + 1; });
  if (recipe.skips_last)
    list.add(kSkip, 1.1, "skips the first class in place of the last one",
             [](Recipe& r) { r.skips_last = false; });
  list.add(kBestClass, 1.2,
           recipe.best_class ? "reports every class of a box" : "reports only one class of a box",
           [](Recipe& r) { r.best_class = !r.best_class; });
}

void add_outputs(const Predictions& predictions, const Recipe& recipe, List& list) {
  list.add(kOutputs, 1, "takes the output of the scores for that of the classes and vice versa",
           [](Recipe& r) { std::swap(r.outputs.scores, *r.outputs.classes); });
  if (recipe.outputs.count && predictions.outputs() > 3)
    list.add(kOutputs, 1.2, "ignores how many boxes count",
             [](Recipe& r) { r.outputs.count.reset(); });
}

}  // namespace

std::vector<Change> catalogue(const Predictions& predictions, const Recipe& recipe) {
  List list;
  add_orders(recipe, list);
  add_places(list);
  add_activations(recipe, list);
  add_labels(predictions, recipe, list);
  list.add(kCut, 1.3,
           recipe.placement.is_cut ? "does not cut boxes at the picture's edge"
                                   : "cuts boxes at the picture's edge",
           [](Recipe& r) { r.placement.is_cut = !r.placement.is_cut; });
  list.add(kPercent, 1.2,
           recipe.percent ? "reports scores as shares" : "reports scores in per cent",
           [](Recipe& r) { r.percent = !r.percent; });
  if (predictions.is_quantised()) add_readings(list);
  add_head(recipe, list);
  add_points(predictions, recipe, list);
  add_angles(recipe, list);
  if (recipe.is_suppressed()) {
    if (recipe.is_apart()) add_outputs(predictions, recipe, list);
    return list.take();
  }
  const bool has_centre =
      recipe.decoding.coder != Coder::kDistances &&
      (recipe.decoding.coder != Coder::kBoxes || !is_of_corners(recipe.decoding.order));
  if (has_centre)
    list.add(kCorner, 1, "takes the centre of a box for its corner",
             [](Recipe& r) { r.decoding.is_centred = false; });
  add_decoding(recipe, list);
  add_suppression(recipe, list);
  add_classes(recipe, list);
  return list.take();
}

}  // namespace edgeprobe::diagnose::boxes
