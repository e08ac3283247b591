// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/roc.h"
#include "task/answers/answer_task.h"

namespace edgeprobe::task {
namespace {

// With so few samples of a kind, DeLong's normal approximation does not hold.
constexpr std::size_t kFew = 10;

class Anomaly final : public Statistic {
 public:
  bool add(const trace::Answer* answer, const Annotation& truth) override {
    One one{std::get<TrueAnomaly>(truth).is_anomaly, 0, {}};
    if (answer) one.alarm = answer->alarm;
    bool good = true;
    if (answer && answer->score && !std::isnan(*answer->score)) {
      one.score = double{*answer->score};
    } else if (answer && answer->score) {
      problem(
          "scores of answers are NaN: they count as the lowest of all, or for what is sound as "
          "the highest");
      good = false;
      one.score = wrong(one.is_anomaly);
    } else if (answer && answer->alarm) {
      one.score = *answer->alarm ? 1 : 0;
    } else {
      one.score = wrong(one.is_anomaly);
    }
    all_.push_back(one);
    return good;
  }

  std::optional<double> value(Weights weights) const override {
    std::vector<double> lower, higher;
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (std::uint32_t n = 0; n < weights[i]; ++n)
        (all_[i].is_anomaly ? higher : lower).push_back(all_[i].score);
    const auto area = stats::area_under_curve(lower, higher);
    return area ? std::optional(area->value) : std::nullopt;
  }

  std::optional<stats::Interval> interval(Weights weights) const override {
    std::vector<double> lower, higher;
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (weights[i] > 0) (all_[i].is_anomaly ? higher : lower).push_back(all_[i].score);
    const auto area = stats::area_under_curve(lower, higher);
    return area ? std::optional(area->ci95) : std::nullopt;
  }

  std::optional<Test> paired_test() const override {
    const std::size_t frames = all_.size() / 2;
    std::vector<double> lower[2], higher[2];
    for (std::size_t i = 0; i < all_.size(); ++i)
      (all_[i].is_anomaly ? higher : lower)[i / frames].push_back(all_[i].score);
    if (std::min(lower[0].size(), higher[0].size()) < kFew) return std::nullopt;
    const auto difference = stats::area_difference(lower[0], higher[0], lower[1], higher[1]);
    if (!difference) return std::nullopt;
    return Test{"DeLong", difference->p_value, difference->ci95};
  }

  Details details(Weights weights) const override {
    std::uint64_t right = 0, alarms = 0, anomalies = 0, sound = 0, found = 0, false_alarms = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const One& one = all_[i];
      (one.is_anomaly ? anomalies : sound) += weights[i];
      if (!one.alarm) continue;
      alarms += weights[i];
      right += *one.alarm == one.is_anomaly ? weights[i] : 0;
      found += *one.alarm && one.is_anomaly ? weights[i] : 0;
      false_alarms += *one.alarm && !one.is_anomaly ? weights[i] : 0;
    }
    const auto share = [](std::uint64_t part, std::uint64_t of) {
      return of ? std::optional(static_cast<double>(part) / static_cast<double>(of)) : std::nullopt;
    };
    Details details;
    if (alarms == 0) return details;
    details.further = {{"alarm_accuracy", share(right, alarms)},
                       {"anomalies_found", share(found, anomalies)},
                       {"false_alarms", share(false_alarms, sound)}};
    details.classes = {{"anomaly", anomalies, share(found, anomalies)},
                       {"sound", sound, share(sound - false_alarms, sound)}};
    return details;
  }

  double cost() const override {
    const auto count = static_cast<double>(all_.size());
    return 4 * count * std::log2(count + 2);
  }

 private:
  struct One {
    bool is_anomaly;
    double score;
    std::optional<bool> alarm;
  };
  static double wrong(bool is_anomaly) {
    constexpr double kFarthest = std::numeric_limits<double>::infinity();
    return is_anomaly ? -kFarthest : kFarthest;
  }

  std::vector<One> all_;
};

std::optional<double> same_score(const trace::Answer& a, const trace::Answer& b, const Terms&) {
  if (a.alarm && b.alarm && *a.alarm != *b.alarm) return 0;
  if (!a.score || !b.score) return a.alarm && b.alarm ? std::optional(1.0) : std::nullopt;
  const double first = double{*a.score}, second = double{*b.score};
  if (!std::isfinite(first) || !std::isfinite(second)) return first == second ? 1 : 0;
  const double scale = std::max(std::fabs(first), std::fabs(second));
  return scale > 0 ? std::max(0.0, 1 - std::fabs(first - second) / scale) : 1;
}

}  // namespace

const AnswerTask kAnomaly{
    "anomaly",
    "roc_auc",
    "ROC AUC",
    true,
    "frames",
    0.10,
    [](const Annotation& truth) { return std::holds_alternative<TrueAnomaly>(truth); },
    [](const trace::Answer& answer) { return answer.score || answer.alarm; },
    [](const Terms&) -> std::unique_ptr<Statistic> { return std::make_unique<Anomaly>(); },
    same_score};

}  // namespace edgeprobe::task
