// SPDX-License-Identifier: Apache-2.0
#include "task/user_metric.h"

#include <algorithm>

#include "core/text.h"
#include "stats/resample.h"
#include "stats/significance.h"
#include "trace/read/answers.h"

namespace edgeprobe::task {
namespace {

using Items = std::vector<UserMetric::Item>;

/// Steps that the figure takes for each frame: Python.
constexpr double kCost = 50;

/// The figure over items that count as often as their weights say; keeps the first error.
class Weighted {
 public:
  Weighted(UserMetric& metric, const Items& items) : metric_(metric), items_(items) {}

  std::optional<double> operator()(std::span<const std::uint32_t> weights) {
    if (failure_) return std::nullopt;
    drawn_.clear();
    for (std::size_t i = 0; i < weights.size(); ++i)
      drawn_.insert(drawn_.end(), weights[i], items_[i]);
    auto value = metric_.figure(drawn_);
    if (value) return *value;
    failure_ = std::move(value.error());
    return std::nullopt;
  }
  Status status() const { return failure_ ? Status(*failure_) : Status(); }
  int draws() const { return stats::draws_for(kCost * static_cast<double>(items_.size())); }

 private:
  UserMetric& metric_;
  const Items& items_;
  Items drawn_;
  std::optional<Error> failure_;
};

Status compare_sides(UserMetric& metric, const Items& reference, const Items& target,
                     MetricResult& result) {
  if (!result.reference.value || !result.target.value) return {};
  result.difference = *result.target.value - *result.reference.value;
  Items both = reference;
  both.insert(both.end(), target.begin(), target.end());
  Weighted weighted(metric, both);
  const auto drawn = stats::paired(
      reference.size(), [&](std::span<const std::uint32_t> weights) { return weighted(weights); },
      weighted.draws());
  result.difference_ci95 = drawn.difference_ci95;
  result.p_value = drawn.p_value;
  return weighted.status();
}

MetricResult result_of(const UserMetric& metric) {
  MetricResult result;
  result.name = metric.name();
  result.higher_is_better = metric.higher_is_better();
  return result;
}

Result<std::optional<UserMetric::Item>> added(UserMetric& metric, const MetricFrameAt& at,
                                              std::size_t frame) {
  EP_TRY(const auto one, at(frame));
  return metric.add(one);
}

}  // namespace

bool MetricResult::is_loss() const {
  return difference && stats::is_significant(p_value) &&
         (higher_is_better ? *difference < 0 : *difference > 0);
}

Result<MetricFrame> metric_frame(const trace::Reader& trace, std::uint32_t frame,
                                 const std::optional<Annotation>& annotation) {
  std::vector<const trace::ReadChannel*> channels;
  for (const trace::ReadChannel& channel : trace.channels())
    if (channel.channel.stage == trace::Stage::kModelOutput && channel.messages > 0)
      channels.push_back(&channel);
  std::stable_sort(channels.begin(), channels.end(), [](const auto* a, const auto* b) {
    return a->channel.position < b->channel.position;
  });
  MetricFrame result{{}, annotation, {}};
  for (const trace::ReadChannel* channel : channels) {
    EP_TRY(const auto message, trace.read(frame, channel->id));
    if (!message) continue;
    auto values = to_float(*message);
    if (!values)
      return std::move(values.error())
          .during("output '" + sanitized(channel->channel.spec.name) + "'");
    result.outputs.push_back(
        {channel->channel.spec.name, message->spec->shape, *std::move(values)});
  }
  EP_TRY(result.answer, trace::answer_of(trace, frame));
  return result;
}

Result<MetricScore> metric_score(UserMetric& metric, const Items& items) {
  MetricScore score;
  if (items.empty()) return score;
  EP_TRY(score.value, metric.figure(items));
  if (!score.value) return score;
  Weighted weighted(metric, items);
  score.ci95 = stats::bootstrap(
      items.size(), [&](std::span<const std::uint32_t> weights) { return weighted(weights); },
      weighted.draws());
  EP_CHECK(weighted.status());
  return score;
}

Result<MetricResult> metric_result(
    UserMetric& metric, const trace::Reader& trace,
    const std::function<std::optional<Annotation>(const trace::FrameRecord&)>& annotation_of) {
  MetricResult result = result_of(metric);
  Items items;
  for (std::size_t i = 0; i < trace.frames().size(); ++i) {
    EP_TRY(const auto frame,
           metric_frame(trace, trace.frames()[i], annotation_of(trace.records()[i])));
    EP_TRY(const auto item, metric.add(frame));
    if (item) {
      items.push_back(*item);
      result.counted.push_back(i);
    }
    result.left_out += !item;
  }
  result.frames = items.size();
  EP_TRY(result.target, metric_score(metric, items));
  return result;
}

Result<MetricResult> metric_result(UserMetric& metric, std::size_t frames,
                                   const MetricFrameAt& reference, const MetricFrameAt& target) {
  MetricResult result = result_of(metric);
  Items of_reference, of_target;
  for (std::size_t i = 0; i < frames; ++i) {
    EP_TRY(const auto first, added(metric, reference, i));
    EP_TRY(const auto second, added(metric, target, i));
    result.left_out += !first && !second;
    result.one_sided += first.has_value() != second.has_value();
    if (!first || !second) continue;
    of_reference.push_back(*first);
    of_target.push_back(*second);
    result.counted.push_back(i);
  }
  result.frames = of_target.size();
  EP_TRY(result.reference, metric_score(metric, of_reference));
  EP_TRY(result.target, metric_score(metric, of_target));
  EP_CHECK(compare_sides(metric, of_reference, of_target, result));
  return result;
}

}  // namespace edgeprobe::task
