// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/predictions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/dtype.h"
#include "postprocess/tables.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using postprocess::detection::Codes;
using postprocess::detection::Detection;
using postprocess::detection::kNearScore;
using postprocess::detection::Numbers;

// Tolerance of float coordinates in pixels; proportional for shares.
constexpr double kPixel = 0.02;
// Relative rounding error of float32 coordinates.
constexpr double kFloat = 2e-6;
// Tolerances for coordinates rounded or truncated to whole pixels (at both corners), or to tenths.
constexpr double kWholePixel = 1.01, kTenthOfPixel = 0.101;
// Tolerance for float16: one unit in the last of eleven bits.
constexpr double kHalf = 1.0 / 1024;
// Boxes with all numbers below this may be shares.
constexpr double kLargestShare = 2;
// Covers float32 against float64, or three decimals.
constexpr double kScoreTolerance = 2e-4;
constexpr std::size_t kMostRanked = 512, kMostCodes = 64, kMostKept = 4096;
constexpr std::size_t kNoOutput = static_cast<std::size_t>(-1);
// No useful app reports scores below this.
constexpr double kLeastRankedScore = 0.005;
// Above this distance, other orders of equal scores are not tried.
constexpr double kNearlyRight = 1;

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Half a unit of the last decimal if all scores are rounded to at most 3 decimals; scores that are
// all 0 or 1 may be rounded to 2. 0: not rounded.
double grain_of_scores(const std::vector<double>& scores) {
  const double most = scores.empty() ? 0 : *std::max_element(scores.begin(), scores.end());
  for (const int digits : {0, 1, 2, 3}) {
    const double unit = std::pow(10, digits);
    const bool whole = std::all_of(scores.begin(), scores.end(), [&](double score) {
      return std::fabs(score * unit - std::rint(score * unit)) < 1e-4 * std::max(1, digits);
    });
    if (whole) return 0.51 / (digits == 0 && most <= kLargestShare ? 100 : unit);
  }
  // float16: one unit in the last of eleven bits of the largest score.
  const bool half = std::all_of(scores.begin(), scores.end(), [](double score) {
    return score == half_to_float(float_to_half(static_cast<float>(score)));
  });
  return half && std::isfinite(most) ? most / 2000 : 0;
}

// Class numbers of an answer; nothing if it has none.
std::optional<std::vector<int>> numbers_of(const trace::Answer& answer) {
  std::vector<int> out;
  if (answer.classes) {
    for (const std::int64_t id : *answer.classes)
      out.push_back(static_cast<int>(std::clamp<std::int64_t>(id, kNoLabel, 1'000'000'000)));
    return out;
  }
  if (!answer.labels) return std::nullopt;
  for (const std::string& label : *answer.labels) {
    const auto value = number_of(label);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

// Appends the bytes of a parameter to a key.
template <class T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void append_head(std::string& key, const postprocess::detection::Head& head) {
  append(key, head.kind), append(key, head.is_by_columns), append(key, head.is_taken_as_stored);
  append(key, head.keeps_neighbours);
}

std::string ranked_key(const Recipe& recipe, std::size_t frame) {
  std::string key;
  append(key, frame), append(key, recipe.outputs.scores), append(key, recipe.reading);
  append(key, recipe.scales_exchanged), append(key, recipe.is_suppressed());
  append(key, recipe.outputs.classes.value_or(kNoOutput));
  append(key, recipe.outputs.count.value_or(kNoOutput));
  append_head(key, recipe.head);
  append(key, recipe.head.objectness), append(key, recipe.head.extra);
  append(key, recipe.skip), append(key, recipe.skips_last), append(key, recipe.best_class);
  append(key, std::min(recipe.threshold, kLeastRankedScore));
  for (const auto activation : recipe.activations) append(key, activation);
  return key;
}

std::string kept_key(const Recipe& r, std::size_t frame) {
  std::string key = ranked_key(r, frame) + '|';
  append(key, r.outputs.boxes);
  const auto& d = r.decoding;
  append(key, d.coder), append(key, d.order), append(key, d.centre_variance);
  append(key, d.size_variance), append(key, d.is_centred), append(key, d.in_pixels);
  append(key, r.anchors.walk);
  append(key, r.threshold);
  const auto& s = r.suppression;
  append(key, s.rivals), append(key, s.of), append(key, s.limit), append(key, s.is_sorted);
  append(key, s.is_weighted), append(key, s.class_offset), append(key, s.is_by_all);
  append(key, r.maps.bins_by), append(key, r.angle_by);
  append(key, s.most);
  return key;
}

}  // namespace

Predictions::Predictions(std::span<const RecordedFrame> frames, const Recipe& reference, Size model,
                         std::size_t most)
    : frames_(frames), reference_(reference), model_(model), most_(most) {
  observe();
  if (reference_.anchors.list) walks_[reference_.anchors.walk] = reference_.anchors.list;
  if (frames_.empty()) return;
  for (const Tensor& output : frames_[0].outputs)
    quantised_ = quantised_ || (!output.spec.quantization.empty() && is_integer(output.spec.dtype));
  if (judged_ == Judged::kNames) classes_ = tables_[postprocess::TableOrder::kFile].size();
  ranked(reference_, 0);
}

// Assigns points to boxes by position: the reference has the same number for each box.
void Predictions::observe_points() {
  const std::size_t each = postprocess::detection::points_a_box(reference_);
  judges_points_ = each > 0 && !frames_.empty();
  for (const RecordedFrame& frame : frames_)
    judges_points_ = judges_points_ && frame.answer.points &&
                     frame.answer.points->size() == each * frame.answer.boxes->size();
  if (!judges_points_) return;
  are_points_whole_ = true;
  double largest = 0, least = HUGE_VAL, most = -HUGE_VAL;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    auto& points = observed_[i].points;
    points.resize(observed_[i].boxes.size());
    for (std::size_t k = 0; k < frames_[i].answer.points->size(); ++k) {
      const auto& point = (*frames_[i].answer.points)[k];
      points[k / each].push_back({point[0], point[1], point[2]});
      least = std::min(least, double{point[2]}), most = std::max(most, double{point[2]});
      for (const float n : {point[0], point[1]}) {
        if (!std::isfinite(n)) continue;
        are_points_whole_ = are_points_whole_ && n == std::rint(n);
        largest = std::max(largest, std::fabs(double{n}));
        observed_[i].largest = std::max(observed_[i].largest, std::fabs(double{n}));
      }
    }
  }
  are_points_whole_ = are_points_whole_ && largest > kLargestShare;
  have_points_scores_ = least < most && reference_.keypoints.numbers.find('s') != std::string::npos;
}

void Predictions::observe() {
  bool names = reference_.labels && !reference_.labels->table.names.empty(), numbers = true;
  has_scores_ = !frames_.empty();
  std::vector<double> scores;
  bool whole = true, tenth = true, half = true;
  double largest = 0;
  for (const RecordedFrame& frame : frames_) {
    const trace::Answer& answer = frame.answer;
    names = names && answer.labels;
    numbers = numbers && numbers_of(answer);
    const std::size_t count = answer.boxes->size();
    has_scores_ = has_scores_ && answer.scores && answer.scores->size() >= count;
    if (answer.scores) scores.insert(scores.end(), answer.scores->begin(), answer.scores->end());
    for (const auto& box : *answer.boxes)
      for (const float n : box) {
        whole = whole && n == std::rint(n);
        tenth =
            tenth && std::fabs(10 * n - std::rint(10 * n)) <= 1e-5 * std::max(1.0F, std::fabs(n));
        half = half && n == half_to_float(float_to_half(n));
        largest = std::max(largest, std::fabs(double{n}));
      }
  }
  is_whole_ = whole && largest > kLargestShare;
  is_tenth_ = tenth && largest > kLargestShare;
  is_half_ = half && !is_whole_;
  judged_ = names ? Judged::kNames : numbers ? Judged::kNumbers : Judged::kNothing;
  grain_ = grain_of_scores(scores);
  if (names) {
    using postprocess::TableOrder;
    for (const TableOrder order :
         {TableOrder::kFile, TableOrder::kAlphabetical, TableOrder::kNoCase, TableOrder::kAsText,
          TableOrder::kReversed, TableOrder::kOther})
      for (const std::string& name : postprocess::in_order(*reference_.labels, order))
        tables_[order].push_back(codes_.of_name(name));
  }
  // Recipes are copied often, so their names are moved to the tables.
  if (reference_.labels) names_ = std::move(reference_.labels->table.names);
  if (reference_.labels && reference_.labels->other) reference_.labels->other->names.clear();
  for (const RecordedFrame& frame : frames_) {
    Observed seen;
    const std::size_t count = frame.answer.boxes->size();
    const auto ids = numbers_of(frame.answer);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& box = (*frame.answer.boxes)[i];
      seen.boxes.push_back({box[0], box[1], box[2], box[3]});
      for (const float n : box)
        if (std::isfinite(n)) seen.largest = std::max(seen.largest, std::fabs(double{n}));
      int label = kNoLabel;
      if (judged_ == Judged::kNames && i < frame.answer.labels->size()) {
        const std::string& name = (*frame.answer.labels)[i];
        label = name.empty() ? kNoLabel : codes_.of_label(name);
      } else if (judged_ == Judged::kNumbers && i < ids->size()) {
        label = (*ids)[i];
      }
      seen.labels.push_back(label);
      if (has_scores_) seen.scores.push_back((*frame.answer.scores)[i]);
    }
    observed_.push_back(std::move(seen));
  }
  observe_points();
}

int Predictions::label_of(const Recipe& recipe, int id) {
  const int line = id + (recipe.labels ? recipe.labels->shift : 0);
  if (judged_ != Judged::kNames) return std::max(line, kNoLabel);
  if (recipe.own_labels) {
    const auto own = recipe.own_labels->find(line);
    return own == recipe.own_labels->end() ? kAnyLabel : codes_.of_label(own->second);
  }
  const std::vector<int>& table = tables_[recipe.labels->order];
  if (line < 0 || static_cast<std::size_t>(line) >= table.size()) return kNoLabel;
  return table[static_cast<std::size_t>(line)];
}

const Predictions::Ranked& Predictions::ranked(const Recipe& recipe, std::size_t frame) {
  std::string key = ranked_key(recipe, frame);
  if (const auto found = ranked_.find(key); found != ranked_.end()) return found->second;
  if (ranked_.size() >= kMostRanked) ranked_.clear();
  Ranked& out = ranked_[std::move(key)];
  const std::vector<TensorView> views(frames_[frame].outputs.begin(), frames_[frame].outputs.end());
  const auto scores = postprocess::detection::scores_of(recipe, views, model_);
  const auto suppressed = postprocess::detection::suppressed_of(recipe, views, model_);
  if (!scores || !suppressed) return out;
  out.fits = true;
  // A proposed threshold may be lower than the recipe's.
  const double least = std::min(recipe.threshold, kLeastRankedScore) - kNearScore;
  out.best = postprocess::detection::best_candidates(recipe, *scores, *suppressed, least, most_);
  if (classes_ < scores->classes) classes_ = scores->classes;
  return out;
}

const Codes* Predictions::codes(const Recipe& recipe, std::size_t frame) {
  std::string key;
  append(key, frame), append(key, recipe.outputs.boxes), append(key, recipe.reading);
  append(key, recipe.scales_exchanged), append_head(key, recipe.head);
  append(key, recipe.maps.bins_by);
  const auto found = box_codes_.find(key);
  if (found != box_codes_.end()) return found->second ? &*found->second : nullptr;
  if (box_codes_.size() >= kMostCodes) box_codes_.clear();
  std::optional<Codes>& out = box_codes_[std::move(key)];
  const std::vector<TensorView> views(frames_[frame].outputs.begin(), frames_[frame].outputs.end());
  Recipe anchored = recipe;
  anchored.anchors.list = reference_.anchors.list;
  auto codes = postprocess::detection::codes_of(anchored, views, model_);
  if (!codes) return nullptr;
  out = *std::move(codes);
  return &*out;
}

// The recipe with the anchors in the order of its walk.
Recipe Predictions::anchored(const Recipe& recipe) {
  Recipe out = recipe;
  if (!reference_.anchors.list) return out;
  auto& walk = walks_[recipe.anchors.walk];
  if (!walk)
    walk = std::make_shared<const std::vector<postprocess::detection::Anchor>>(
        postprocess::detection::walked(*reference_.anchors.list, recipe.anchors.walk));
  out.anchors.list = walk;
  return out;
}

const std::vector<Detection>* Predictions::kept(const Recipe& recipe, std::size_t frame) {
  std::string key = kept_key(recipe, frame);
  const auto found = kept_.find(key);
  if (found != kept_.end()) return found->second.fits ? &found->second.boxes : nullptr;
  if (kept_.size() >= kMostKept) kept_.clear();
  Kept& out = kept_[std::move(key)];
  const Ranked& best = ranked(recipe, frame);
  const Codes* const numbers = codes(recipe, frame);
  if (!best.fits || !numbers) return nullptr;
  out.fits = true;
  out.boxes = chosen(
      recipe, postprocess::detection::detections_of(anchored(recipe), best.best, *numbers, model_));
  return &out.boxes;
}

std::vector<Detection> Predictions::chosen(const Recipe& recipe,
                                           std::vector<Detection> candidates) const {
  postprocess::detection::Suppression rule = recipe.suppression;
  rule.pixel_width = 1 / model_.width, rule.pixel_height = 1 / model_.height;
  return postprocess::detection::suppressed(candidates, rule);
}

std::vector<Said> Predictions::in_words(const Recipe& recipe, std::size_t frame,
                                        std::span<const Detection> boxes) {
  std::vector<Said> out;
  const bool has_points = judges_points_ || recipe.is_turned;
  const Codes* const numbers = has_points ? codes(recipe, frame) : nullptr;
  static const Codes kNone;
  Recipe whole = numbers ? anchored(recipe) : recipe;
  if (!numbers) whole.keypoints.count = 0;
  for (const Detection& one : boxes) {
    auto made = postprocess::detection::reported(whole, one, numbers ? *numbers : kNone,
                                                 frames_[frame].picture, model_);
    out.push_back(
        {made.box, one.id, judged_ == Judged::kNothing ? kNoLabel : label_of(recipe, one.id),
         recipe.percent ? 100 * one.score : one.score, one.is_optional, std::move(made.points)});
  }
  return out;
}

std::vector<Said> Predictions::said(const Recipe& recipe, std::size_t frame) {
  const auto* const boxes = kept(recipe, frame);
  return boxes ? in_words(recipe, frame, *boxes) : std::vector<Said>{};
}

double Predictions::box_tolerance(const Observed& observed) const {
  if (is_whole_) return kWholePixel;
  if (is_tenth_) return kTenthOfPixel;
  return kPixel * std::min(1.0, observed.largest / 100) + (is_half_ ? kHalf * observed.largest : 0);
}

double Predictions::score_tolerance(double score) const {
  return std::max({kScoreTolerance, grain_, kScoreTolerance * std::fabs(score)});
}

bool Predictions::is_same_box(const Said& said, const Observed& observed, std::size_t rank) const {
  const double tolerance = box_tolerance(observed);
  for (std::size_t i = 0; i < 4; ++i) {
    const double own = said.box[i], seen = observed.boxes[rank][i];
    // Any number would be within a relative tolerance of infinity.
    if (!std::isfinite(own) || !(std::fabs(own - seen) <= tolerance + kFloat * std::fabs(own)))
      return false;
  }
  return true;
}

double Predictions::point_tolerance(const Observed& observed) const {
  if (are_points_whole_) return kWholePixel;
  return kPixel * std::min(1.0, observed.largest / 100) + (is_half_ ? kHalf * observed.largest : 0);
}

bool Predictions::is_same_point(const postprocess::detection::ReportedPoint& said,
                                const postprocess::detection::ReportedPoint& seen,
                                double tolerance) const {
  if (have_points_scores_ && std::isfinite(seen[2]) &&
      !(std::fabs(said[2] - seen[2]) <= score_tolerance(said[2])))
    return false;
  // Libraries return the picture's corner for a hidden point.
  if (std::isnan(said[0])) return std::isnan(seen[0]) || (seen[0] == 0 && seen[1] == 0);
  return std::fabs(said[0] - seen[0]) <= tolerance + kFloat * std::fabs(said[0]) &&
         std::fabs(said[1] - seen[1]) <= tolerance + kFloat * std::fabs(said[1]);
}

double Predictions::points_off(const Said& said, const Observed& observed, std::size_t rank) const {
  if (!judges_points_ || rank >= observed.points.size()) return 0;
  const auto &own = said.points, &seen = observed.points[rank];
  if (own.size() != seen.size() || own.empty()) return 1;
  const double tolerance = point_tolerance(observed);
  const std::size_t count = own.size();
  const auto off_from = [&](std::size_t first, bool is_backwards) {
    double off = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = (is_backwards ? first + count - i : first + i) % count;
      if (is_same_point(own[at], seen[i], tolerance)) continue;
      const double apart = std::hypot(own[at][0] - seen[i][0], own[at][1] - seen[i][1]);
      off += std::isnan(apart) ? 1 : std::min(1.0, 0.1 + apart / observed.largest);
    }
    return off / static_cast<double>(count);
  };
  double least = off_from(0, false);
  if (!reference_.is_turned) return least;
  // Corners may begin anywhere and run in either direction.
  for (std::size_t first = 0; first < count; ++first)
    least = std::min({least, off_from(first, false), off_from(first, true)});
  return least;
}

Parts Predictions::differ(const Recipe& recipe, std::size_t frame) {
  ++evaluations_;
  const auto* const boxes = kept(recipe, frame);
  Parts parts;
  if (!boxes) {
    parts.fits = false;
    return parts;
  }
  parts = compare(in_words(recipe, frame, *boxes), observed_[frame]);
  if (parts.sum() == 0 || parts.sum() > kNearlyRight || !recipe.suppression.is_sorted) return parts;
  const Parts other = compare_by_ties(recipe, frame);
  return other.sum() < parts.sum() ? other : parts;
}

}  // namespace edgeprobe::diagnose::boxes
