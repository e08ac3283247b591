// SPDX-License-Identifier: Apache-2.0
#include "task/metrics/average_precision.h"

#include <algorithm>
#include <numeric>

namespace edgeprobe::task {
namespace {

constexpr std::size_t kRecalls = 101;
constexpr std::ptrdiff_t kNone = -1;

// Indices by falling score; equal scores keep their order.
std::vector<std::size_t> by_falling(const std::vector<double>& scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

bool outside(double area, const AreaRange& range) { return area < range.low || area > range.high; }

// Matches detections in a scene to the truth, at one threshold.
class Assignment {
 public:
  Assignment(const Scene& scene, const AreaRange& range) : scene_(scene) {
    const std::size_t count = scene.truth_areas.size();
    for (std::size_t j = 0; j < count; ++j)
      ignored_.push_back(scene.truth_ignored[j] || outside(scene.truth_areas[j], range));
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_partition(order_.begin(), order_.end(),
                          [&](std::size_t j) { return !ignored_[j]; });
  }

  std::uint64_t there() const {
    return static_cast<std::uint64_t>(std::count(ignored_.begin(), ignored_.end(), false));
  }
  void begin() { taken_.assign(ignored_.size(), false); }

  /// The truth that a detection is matched to; kNone if none. Counted truths take priority over
  /// ignored ones; a crowd takes any number.
  std::ptrdiff_t take(std::size_t found, double threshold) {
    double best = std::min(threshold, 1 - 1e-10);
    std::ptrdiff_t match = kNone;
    for (const std::size_t j : order_) {
      if (taken_[j] && !scene_.crowd[j]) continue;
      if (match != kNone && !ignored_[static_cast<std::size_t>(match)] && ignored_[j]) break;
      const double similarity = scene_.similarity[found * ignored_.size() + j];
      if (!(similarity >= best)) continue;
      best = similarity;
      match = static_cast<std::ptrdiff_t>(j);
    }
    if (match != kNone) taken_[static_cast<std::size_t>(match)] = true;
    return match;
  }
  bool ignored(std::ptrdiff_t match) const { return ignored_[static_cast<std::size_t>(match)]; }

 private:
  const Scene& scene_;
  std::vector<bool> ignored_, taken_;
  std::vector<std::size_t> order_;  ///< Counted truths before ignored ones.
};

}  // namespace

double similarity_threshold(std::size_t index) {
  constexpr double kStep = (0.95 - 0.5) / 9;
  return index + 1 == kThresholds ? 0.95 : static_cast<double>(index) * kStep + 0.5;
}

AveragePrecision::AveragePrecision(std::span<const Scene> scenes, const AreaRange& range,
                                   std::size_t most) {
  for (const Scene& scene : scenes) {
    Class& one = classes_[scene.label];
    Assignment assignment(scene, range);
    if (const std::uint64_t there = assignment.there(); there > 0)
      one.there.emplace_back(scene.frame, there);
    std::vector<std::size_t> order = by_falling(scene.scores);
    order.resize(std::min(order.size(), most));
    std::vector<Found> found;
    for (const std::size_t i : order) found.push_back({scene.scores[i], scene.frame});
    for (std::size_t t = 0; t < kThresholds; ++t) {
      const auto bit = static_cast<std::uint16_t>(1u << t);
      assignment.begin();
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::ptrdiff_t match = assignment.take(order[i], similarity_threshold(t));
        if (match != kNone) found[i].right |= bit;
        if (match == kNone ? outside(scene.areas[order[i]], range) : assignment.ignored(match))
          found[i].ignored |= bit;
      }
    }
    one.found.insert(one.found.end(), found.begin(), found.end());
  }
  for (auto& [label, one] : classes_)
    std::stable_sort(one.found.begin(), one.found.end(),
                     [](const Found& a, const Found& b) { return a.score > b.score; });
}

std::uint64_t AveragePrecision::count_there(const Class& one,
                                            std::span<const std::uint32_t> weights) {
  std::uint64_t there = 0;
  for (const auto& [frame, count] : one.there) there += count * weights[frame];
  return there;
}

double AveragePrecision::precision(const Class& one, std::uint64_t there,
                                   std::span<const std::uint32_t> weights, std::size_t threshold) {
  const auto bit = static_cast<std::uint16_t>(1u << threshold);
  std::vector<double> recalls, precisions;
  std::uint64_t right = 0, wrong = 0;
  for (const Found& found : one.found) {
    const std::uint32_t weight = weights[found.frame];
    if (weight == 0 || (found.ignored & bit)) continue;
    ((found.right & bit) ? right : wrong) += weight;
    recalls.push_back(static_cast<double>(right) / static_cast<double>(there));
    precisions.push_back(static_cast<double>(right) / static_cast<double>(right + wrong));
  }
  for (std::size_t i = precisions.size(); i-- > 1;)
    precisions[i - 1] = std::max(precisions[i - 1], precisions[i]);
  double sum = 0;
  std::size_t at = 0;
  for (std::size_t r = 0; r < kRecalls; ++r) {
    const double recall = r + 1 == kRecalls ? 1 : static_cast<double>(r) * 0.01;
    while (at < recalls.size() && recalls[at] < recall) ++at;
    if (at == recalls.size()) break;
    sum += precisions[at];
  }
  return sum / static_cast<double>(kRecalls);
}

double AveragePrecision::recall(const Class& one, std::uint64_t there,
                                std::span<const std::uint32_t> weights, std::size_t threshold) {
  const auto bit = static_cast<std::uint16_t>(1u << threshold);
  std::uint64_t right = 0;
  for (const Found& found : one.found)
    if ((found.right & bit) && !(found.ignored & bit)) right += weights[found.frame];
  return static_cast<double>(right) / static_cast<double>(there);
}

std::optional<double> AveragePrecision::mean(std::span<const std::uint32_t> weights,
                                             std::size_t first, std::size_t count) const {
  double sum = 0;
  std::size_t terms = 0;
  for (const auto& [label, one] : classes_) {
    const std::uint64_t there = count_there(one, weights);
    if (there == 0) continue;
    for (std::size_t t = first; t < first + count; ++t) sum += precision(one, there, weights, t);
    terms += count;
  }
  return terms ? std::optional(sum / static_cast<double>(terms)) : std::nullopt;
}

std::optional<double> AveragePrecision::of_class(int label, std::span<const std::uint32_t> weights,
                                                 std::size_t first, std::size_t count) const {
  const auto one = classes_.find(label);
  const std::uint64_t there = one == classes_.end() ? 0 : count_there(one->second, weights);
  if (there == 0) return std::nullopt;
  double sum = 0;
  for (std::size_t t = first; t < first + count; ++t)
    sum += precision(one->second, there, weights, t);
  return sum / static_cast<double>(count);
}

std::optional<double> AveragePrecision::mean_recall(std::span<const std::uint32_t> weights) const {
  double sum = 0;
  std::size_t terms = 0;
  for (const auto& [label, one] : classes_) {
    const std::uint64_t there = count_there(one, weights);
    if (there == 0) continue;
    for (std::size_t t = 0; t < kThresholds; ++t) sum += recall(one, there, weights, t);
    terms += kThresholds;
  }
  return terms ? std::optional(sum / static_cast<double>(terms)) : std::nullopt;
}

std::vector<std::pair<int, std::uint64_t>> AveragePrecision::there(
    std::span<const std::uint32_t> weights) const {
  std::vector<std::pair<int, std::uint64_t>> counts;
  for (const auto& [label, one] : classes_)
    if (const std::uint64_t count = count_there(one, weights); count > 0)
      counts.emplace_back(label, count);
  return counts;
}

double AveragePrecision::cost() const {
  double steps = 0;
  for (const auto& [label, one] : classes_)
    if (!one.there.empty()) steps += static_cast<double>(3 * one.found.size() + kRecalls);
  return steps * static_cast<double>(kThresholds);
}

}  // namespace edgeprobe::task
