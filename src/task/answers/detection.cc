// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/text.h"
#include "task/answers/answer_task.h"
#include "task/metrics/average_precision.h"
#include "task/metrics/key_points.h"

namespace edgeprobe::task {
namespace {

constexpr std::size_t kMostBoxes = 100;  // For each class in a frame, as in COCO.
constexpr double kMatch = 0.5;

double score_at(const trace::Answer& answer, std::size_t index) {
  if (!answer.scores || index >= answer.scores->size()) return 1;
  const double score = double{(*answer.scores)[index]};
  return std::isnan(score) ? -1 : score;
}

bool are_finite(const std::array<float, 4>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float v) { return std::isfinite(v); });
}

class Detection final : public Statistic {
 public:
  explicit Detection(const Terms& terms) : terms_(terms) {}

  bool add(const trace::Answer* answer, const Annotation& truth) override {
    const auto& there = std::get<TrueBoxes>(truth);
    const std::size_t frame = frames_++;
    std::map<int, Scene> scenes;
    const auto scene_of = [&](int label) -> Scene& {
      Scene& scene = scenes[label];
      scene.frame = frame;
      scene.label = label;
      return scene;
    };
    std::map<int, std::vector<Box>> truths, found;
    for (const TrueBox& one : there.boxes) {
      Scene& scene = scene_of(one.label);
      scene.truth_areas.push_back(one.area);
      scene.truth_ignored.push_back(one.crowd);
      scene.crowd.push_back(one.crowd);
      truths[one.label].push_back(one.box);
      if (!one.name.empty()) names_.emplace(one.label, one.name);
      labels_.insert(one.label);
    }
    bool good = true;
    if (answer && answer->boxes) good = add_found(*answer, there, scene_of, found);
    for (auto& [label, scene] : scenes) {
      const std::vector<Box>& boxes = truths[label];
      for (const Box& box : found[label])
        for (std::size_t j = 0; j < boxes.size(); ++j)
          scene.similarity.push_back(overlap(box, boxes[j], scene.crowd[j]));
      scenes_.push_back(std::move(scene));
    }
    return good;
  }

  void finish() override {
    if (strange_ > 0 && numbered_.empty())
      problem("none of the labels of the answers, such as '" + sanitized(example_, 60) +
              "', is a class of the annotations" +
              (names_.empty() ? std::string("; give their names with --classes")
                              : ", such as '" + sanitized(names_.begin()->second, 60) + "'"));
    if (!numbered_.empty() && !labels_.empty() &&
        std::none_of(numbered_.begin(), numbered_.end(),
                     [&](int label) { return labels_.count(label) > 0; }))
      problem("none of the class numbers of the answers, such as " +
              std::to_string(*numbered_.begin()) + ", is one of the annotations', such as " +
              std::to_string(*labels_.begin()) +
              "; give the names of the app's classes with --classes");
    all_.emplace(scenes_, kAllAreas, kMostBoxes);
    small_.emplace(scenes_, kSmallAreas, kMostBoxes);
    medium_.emplace(scenes_, kMediumAreas, kMostBoxes);
    large_.emplace(scenes_, kLargeAreas, kMostBoxes);
    scenes_.clear();
  }

  std::optional<double> value(Weights weights) const override { return all_->mean(weights); }

  Details details(Weights weights) const override {
    Details details;
    details.further = {{"ap50", all_->mean(weights, 0, 1)}, {"ap75", all_->mean(weights, 5, 1)},
                       {"ap_small", small_->mean(weights)}, {"ap_medium", medium_->mean(weights)},
                       {"ap_large", large_->mean(weights)}, {"recall", all_->mean_recall(weights)}};
    for (const auto& [label, there] : all_->there(weights))
      details.classes.push_back({name_of(label), there, all_->of_class(label, weights)});
    return details;
  }

  double cost() const override { return all_->cost(); }

 private:
  template <class SceneOf>
  bool add_found(const trace::Answer& answer, const TrueBoxes& there, SceneOf scene_of,
                 std::map<int, std::vector<Box>>& found) {
    bool good = true;
    if (terms_.boxes.normalized && !(there.width > 0 && there.height > 0) &&
        !answer.boxes->empty()) {
      problem(
          "boxes are parts of a picture whose size the annotations do not hold: they count as "
          "not found");
      return false;
    }
    for (std::size_t i = 0; i < answer.boxes->size(); ++i) {
      const auto& numbers = (*answer.boxes)[i];
      if (!are_finite(numbers)) {
        problem("boxes of answers hold NaN or infinity: those count as not found");
        good = false;
        continue;
      }
      const Box box = box_of(numbers, terms_.boxes, there.width, there.height);
      if (box.width < 0 || box.height < 0) {
        problem(
            "boxes of answers end before they begin, as if their numbers have another order (set "
            "it with --boxes): they count as not found");
        good = false;
        continue;
      }
      if (there.width > 0 && (box.x > there.width || box.y > there.height ||
                              box.x + box.width < 0 || box.y + box.height < 0))
        problem(
            "boxes of answers are outside of their pictures; --boxes says what the numbers are");
      std::optional<int> label = class_of(answer, i, terms_);
      if (!label && (answer.labels || answer.classes)) {
        if (strange_++ == 0 && answer.labels && i < answer.labels->size())
          example_ = (*answer.labels)[i];
        continue;
      }
      if (!label) label = there.boxes.empty() ? 0 : there.boxes.front().label;
      numbered_.insert(*label);
      Scene& scene = scene_of(*label);
      scene.scores.push_back(score_at(answer, i));
      scene.areas.push_back(box.area());
      found[*label].push_back(box);
    }
    return good;
  }

  std::string name_of(int label) const {
    if (const auto at = names_.find(label); at != names_.end()) return at->second;
    const auto index = static_cast<std::size_t>(label);
    return label >= 0 && index < terms_.classes.size() ? terms_.classes[index]
                                                       : std::to_string(label);
  }

  const Terms terms_;
  std::size_t frames_ = 0;
  std::vector<Scene> scenes_;
  std::map<int, std::string> names_;
  std::set<int> labels_, numbered_;  ///< Class numbers in the annotations, and in the answers.
  std::uint64_t strange_ = 0;        ///< Boxes with an unknown class.
  std::string example_;
  std::optional<AveragePrecision> all_, small_, medium_, large_;
};

/// True if float32 and float64 may yield both for one box: within four roundings of the largest
/// number.
bool are_same(const std::array<float, 4>& a, const std::array<float, 4>& b) {
  constexpr float kRounding = 4e-6F;
  float largest = 0;
  for (const float number : a) largest = std::max(largest, std::fabs(number));
  return std::equal(a.begin(), a.end(), b.begin(), [&](float one, float other) {
    return std::fabs(one - other) <= kRounding * largest;
  });
}

/// Class of a box as text, to compare two answers.
std::string class_text(const trace::Answer& answer, std::size_t index, bool by_labels) {
  if (by_labels && answer.labels && index < answer.labels->size())
    return lower_case((*answer.labels)[index]);
  if (answer.classes && index < answer.classes->size())
    return std::to_string((*answer.classes)[index]);
  return "";
}

// Points for each box, equal in both answers; 0: none, or different numbers.
std::size_t points_a_box(const trace::Answer& a, const trace::Answer& b) {
  const auto each = [](const trace::Answer& answer) -> std::size_t {
    const std::size_t boxes = answer.boxes->size();
    if (!answer.points || boxes == 0 || answer.points->size() % boxes != 0) return 0;
    return answer.points->size() / boxes;
  };
  const std::size_t count = each(a);
  return count == each(b) ? count : 0;
}

using Body = std::vector<Point>;

// The points of one box; a point without finite coordinates is not labelled.
Body body_of(const trace::Answer& answer, std::size_t box, std::size_t count) {
  Body out;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& one = (*answer.points)[box * count + k];
    const bool is_shown = std::isfinite(one[0]) && std::isfinite(one[1]);
    out.push_back({double{one[0]}, double{one[1]}, is_shown ? 2.0 : 0.0});
  }
  return out;
}

bool is_shown(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Point& point) { return point[2] > 0; });
}

// True for corners of a rotated box, which touch the four sides of the box around them.
bool are_corners(const Body& body, const Box& box) {
  if (body.size() != 4) return false;
  const double near = 0.01 * std::max(box.width, box.height);
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  for (const Point& point : body) {
    left = std::min(left, point[0]), right = std::max(right, point[0]);
    top = std::min(top, point[1]), bottom = std::max(bottom, point[1]);
  }
  return std::fabs(left - box.x) < near && std::fabs(top - box.y) < near &&
         std::fabs(right - box.x - box.width) < near &&
         std::fabs(bottom - box.y - box.height) < near;
}

// OKS of the points of two boxes; 1 if neither shows any. Corners may start anywhere and go in
// either direction.
double same_body(const Body& one, Body other, const Box& box) {
  if (!is_shown(one)) return is_shown(other) ? 0 : 1;
  const TruePose truth{one, {}, box.area(), false};
  const std::vector<double> spreads = spreads_of(one.size());
  double best = object_similarity(other, truth, spreads);
  if (!are_corners(one, box)) return best;
  for (const bool is_backwards : {false, true}) {
    if (is_backwards) std::reverse(other.begin(), other.end());
    for (std::size_t turn = 0; turn < other.size(); ++turn) {
      std::rotate(other.begin(), other.begin() + 1, other.end());
      best = std::max(best, object_similarity(other, truth, spreads));
    }
  }
  return best;
}

// Matches each box of one answer with the nearest remaining box of the other, the highest scores
// first; boxes are weighted by their scores, so that those at an app's threshold count little.
std::optional<double> same_boxes(const trace::Answer& a, const trace::Answer& b,
                                 const Terms& terms) {
  const bool labels = a.labels && b.labels, classes = a.classes && b.classes;
  const bool any = a.labels || a.classes || b.labels || b.classes;
  if (any && !labels && !classes && !a.boxes->empty() && !b.boxes->empty()) return std::nullopt;
  const std::size_t count_a = a.boxes->size(), count_b = b.boxes->size();
  const auto weight = [](const trace::Answer& answer, std::size_t i) {
    return std::max(1e-3, score_at(answer, i));
  };
  double all = 0, same = 0;
  for (std::size_t i = 0; i < count_a; ++i) all += weight(a, i);
  for (std::size_t j = 0; j < count_b; ++j) all += weight(b, j);
  if (count_a + count_b == 0) return 1;
  const std::size_t points = points_a_box(a, b);
  std::vector<std::size_t> order(count_a);
  for (std::size_t i = 0; i < count_a; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return score_at(a, x) > score_at(a, y); });
  std::vector<bool> taken(count_b, false);
  for (const std::size_t i : order) {
    if (!are_finite((*a.boxes)[i])) continue;
    const Box box = box_of((*a.boxes)[i], terms.boxes, 1, 1);
    double best = kMatch;
    std::size_t match = count_b;
    for (std::size_t j = 0; j < count_b; ++j) {
      if (taken[j] || !are_finite((*b.boxes)[j]) ||
          class_text(a, i, labels) != class_text(b, j, labels))
        continue;
      const double shared = are_same((*a.boxes)[i], (*b.boxes)[j])
                                ? 1
                                : overlap(box, box_of((*b.boxes)[j], terms.boxes, 1, 1));
      if (shared < best) continue;
      best = shared;
      match = j;
    }
    if (match == count_b) continue;
    taken[match] = true;
    if (points > 0)
      best = std::min(best, same_body(body_of(a, i, points), body_of(b, match, points), box));
    same += best * (weight(a, i) + weight(b, match));
  }
  return same / all;
}

}  // namespace

const AnswerTask kDetection{
    "detection",
    "average_precision",
    "AP@.5:.95",
    true,
    "boxes",
    0.15,
    [](const Annotation& truth) { return std::holds_alternative<TrueBoxes>(truth); },
    [](const trace::Answer& answer) { return answer.boxes.has_value(); },
    [](const Terms& terms) -> std::unique_ptr<Statistic> {
      return std::make_unique<Detection>(terms);
    },
    same_boxes};

}  // namespace edgeprobe::task
