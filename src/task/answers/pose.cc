// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "task/answers/answer_task.h"
#include "task/metrics/average_precision.h"

namespace edgeprobe::task {
namespace {

constexpr std::size_t kMostPoses = 20;  // For each frame, as in COCO.
constexpr double kNear = 0.2;           // PCK@.2

// For a body outlined only by its points: approximate share of their bounding rectangle that it
// fills.
constexpr double kFilled = 0.53;

struct FoundPose {
  std::vector<Point> points;
  double score = 0;
  double area = 0;
};

// An answer's points as bodies of `count` points each; empty if their number is not a multiple.
std::vector<FoundPose> poses_of(const trace::Answer& answer, std::size_t count, double width,
                                double height) {
  const auto& all = *answer.points;
  std::vector<FoundPose> poses;
  if (count == 0 || all.size() % count != 0) return poses;
  for (std::size_t begin = 0; begin < all.size(); begin += count) {
    FoundPose pose;
    double score = 0, left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (std::size_t i = begin; i < begin + count; ++i) {
      const Point point{double{all[i][0]} * width, double{all[i][1]} * height, double{all[i][2]}};
      score += std::isfinite(point[2]) ? point[2] : 0;
      if (std::isfinite(point[0]) && std::isfinite(point[1])) {
        left = std::min(left, point[0]);
        right = std::max(right, point[0]);
        top = std::min(top, point[1]);
        bottom = std::max(bottom, point[1]);
      }
      pose.points.push_back(point);
    }
    const std::size_t place = poses.size();
    pose.score = answer.scores && place < answer.scores->size()
                     ? double{(*answer.scores)[place]}
                     : score / static_cast<double>(count);
    if (std::isnan(pose.score)) pose.score = -1;
    pose.area = right > left && bottom > top ? (right - left) * (bottom - top) : 0;
    poses.push_back(std::move(pose));
  }
  return poses;
}

class Poses final : public Statistic {
 public:
  explicit Poses(const Terms& terms) : terms_(terms) {}

  bool add(const trace::Answer* answer, const Annotation& truth) override {
    const auto& there = std::get<TruePoses>(truth);
    Scene scene;
    scene.frame = frames_++;
    hits_.emplace_back();
    const std::size_t count = there.poses.empty() ? 0 : there.poses.front().points.size();
    for (const TruePose& pose : there.poses) {
      scene.truth_areas.push_back(pose.area);
      scene.truth_ignored.push_back(pose.crowd || !is_labelled(pose));
      scene.crowd.push_back(pose.crowd);
    }
    const bool good = !answer || !answer->points || add_found(*answer, there, count, scene);
    scenes_.push_back(std::move(scene));
    return good;
  }

  void finish() override {
    all_.emplace(scenes_, kAllAreas, kMostPoses);
    medium_.emplace(scenes_, kMediumAreas, kMostPoses);
    large_.emplace(scenes_, AreaRange{96 * 96, 1e10}, kMostPoses);
    scenes_.clear();
  }

  std::optional<double> value(Weights weights) const override { return all_->mean(weights); }

  Details details(Weights weights) const override {
    Details details;
    details.further = {{"ap50", all_->mean(weights, 0, 1)},
                       {"ap75", all_->mean(weights, 5, 1)},
                       {"ap_medium", medium_->mean(weights)},
                       {"ap_large", large_->mean(weights)},
                       {"recall", all_->mean_recall(weights)}};
    std::vector<std::uint64_t> right, marked;
    for (std::size_t f = 0; f < hits_.size(); ++f)
      for (const auto& [point, hit] : hits_[f]) {
        right.resize(std::max(right.size(), point + 1));
        marked.resize(right.size());
        right[point] += hit ? weights[f] : 0;
        marked[point] += weights[f];
      }
    std::uint64_t all_right = 0, all_marked = 0;
    for (std::size_t i = 0; i < marked.size(); ++i) {
      all_right += right[i];
      all_marked += marked[i];
      details.classes.push_back(
          {"point " + std::to_string(i), marked[i],
           marked[i] ? std::optional(static_cast<double>(right[i]) / static_cast<double>(marked[i]))
                     : std::nullopt});
    }
    details.further.emplace_back("pck", all_marked ? std::optional(static_cast<double>(all_right) /
                                                                   static_cast<double>(all_marked))
                                                   : std::nullopt);
    return details;
  }

  double cost() const override { return all_->cost(); }

 private:
  bool add_found(const trace::Answer& answer, const TruePoses& there, std::size_t count,
                 Scene& scene) {
    const bool sized = there.width > 0 && there.height > 0;
    if (terms_.boxes.normalized && !sized) {
      problem(
          "points are parts of a picture whose size the annotations do not hold: they count as "
          "not found");
      return false;
    }
    if (count > 0 && answer.points->size() % count != 0) {
      problem("an answer has " + std::to_string(answer.points->size()) +
              " points, the annotations " + std::to_string(count) +
              " for each body: they count as not found");
      return false;
    }
    const std::vector<FoundPose> found =
        poses_of(answer, count, terms_.boxes.normalized ? there.width : 1,
                 terms_.boxes.normalized ? there.height : 1);
    const std::vector<double> spreads = spreads_of(count);
    for (const FoundPose& pose : found) {
      scene.scores.push_back(pose.score);
      scene.areas.push_back(pose.area);
      for (const TruePose& truth : there.poses)
        scene.similarity.push_back(object_similarity(pose.points, truth, spreads));
    }
    // Points are scored in the best fitting body.
    for (std::size_t j = 0; j < there.poses.size(); ++j) {
      if (scene.truth_ignored[j]) continue;
      std::size_t best = found.size();
      for (std::size_t i = 0; i < found.size(); ++i)
        if (best == found.size() || scene.similarity[i * there.poses.size() + j] >
                                        scene.similarity[best * there.poses.size() + j])
          best = i;
      for (std::size_t point = 0; point < count; ++point) {
        const auto hit = best < found.size() ? is_correct_point(found[best].points[point],
                                                                there.poses[j], point, kNear)
                                             : std::nullopt;
        if (hit) hits_.back().emplace_back(point, *hit);
        else if (there.poses[j].points[point][2] > 0) hits_.back().emplace_back(point, false);
      }
    }
    return true;
  }

  const Terms terms_;
  std::size_t frames_ = 0;
  std::vector<Scene> scenes_;
  /// For each frame: point, correct.
  std::vector<std::vector<std::pair<std::size_t, bool>>> hits_;
  std::optional<AveragePrecision> all_, medium_, large_;
};

// OKS of one answer's points by the other's, in both directions; bodies are paired in order.
std::optional<double> same_points(const trace::Answer& a, const trace::Answer& b, const Terms&) {
  const std::size_t count = a.points->size();
  if (count != b.points->size()) return 0;
  if (count == 0) return 1;
  const auto first = poses_of(a, count, 1, 1), second = poses_of(b, count, 1, 1);
  TruePose truth{first.front().points, {}, kFilled * first.front().area, false};
  bool any = false;
  for (Point& point : truth.points) {
    const bool shown = std::isfinite(point[0]) && std::isfinite(point[1]);
    any = any || shown;
    point[2] = shown ? 2 : 0;
  }
  if (!any)
    return std::none_of(second.front().points.begin(), second.front().points.end(),
                        [](const Point& point) { return std::isfinite(point[0]); })
               ? 1
               : 0;
  return object_similarity(second.front().points, truth, spreads_of(count));
}

}  // namespace

const AnswerTask kPose{
    "pose",
    "oks_average_precision",
    "OKS AP@.5:.95",
    true,
    "points",
    0.10,
    [](const Annotation& truth) { return std::holds_alternative<TruePoses>(truth); },
    [](const trace::Answer& answer) { return answer.points.has_value(); },
    [](const Terms& terms) -> std::unique_ptr<Statistic> { return std::make_unique<Poses>(terms); },
    same_points};

}  // namespace edgeprobe::task
