// SPDX-License-Identifier: Apache-2.0
#include "diagnose/replay/quality.h"

#include <set>
#include <utility>

namespace edgeprobe::diagnose {
namespace {

/// The specs of a model's outputs in order, each once although it has a channel for each shape.
std::vector<TensorSpec> output_specs(const trace::Reader& reader) {
  std::vector<TensorSpec> specs;
  std::set<std::pair<std::int32_t, std::string>> seen;
  for (const trace::ReadChannel* channel : output_channels(reader))
    if (channel->messages > 0 &&
        seen.emplace(channel->channel.position, channel->channel.spec.name).second)
      specs.push_back(channel->channel.spec);
  return specs;
}

task::MetricFrame frame_of(const Study& study, const std::vector<TensorSpec>& specs,
                           std::uint32_t frame, const Outputs& outputs) {
  task::MetricFrame result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto size = static_cast<std::int64_t>(outputs[i].size());
    const Shape& shape = specs[i].shape;
    result.outputs.push_back({specs[i].name,
                              element_count(shape) == outputs[i].size() ? shape : Shape{size},
                              outputs[i]});
  }
  if (const auto truth = study.annotations.find(frame); truth != study.annotations.end())
    result.annotation = truth->second;
  return result;
}

/// The target's frames that count on both sides.
std::set<std::uint32_t> counted_frames(const Study& study) {
  std::set<std::uint32_t> frames;
  if (study.agreement.metric)
    for (const std::size_t i : study.agreement.metric->counted)
      frames.insert(study.agreement.frames[i].target);
  return frames;
}

/// Over the frames of the sides' figures; nothing if a replay lacks one of them, since a figure of
/// other frames is another figure.
Result<task::MetricScore> score_by(task::UserMetric& metric, const Study& study,
                                   const Answers& answers) {
  const std::set<std::uint32_t> counted = counted_frames(study);
  const std::vector<TensorSpec> specs = output_specs(*study.known.target);
  std::vector<task::UserMetric::Item> items;
  for (std::size_t i = 0; i < answers.frames.size(); ++i) {
    const Outputs& outputs = answers.outputs[i];
    if (!counted.empty() && counted.count(answers.frames[i]) == 0) continue;
    if (outputs.empty() || outputs.size() != specs.size()) continue;
    EP_TRY(const auto item, metric.add(frame_of(study, specs, answers.frames[i], outputs)));
    if (item) items.push_back(*item);
  }
  if (!counted.empty() && items.size() != counted.size()) return task::MetricScore();
  return task::metric_score(metric, items);
}

}  // namespace

bool Quality::is_better_than(const Quality& other) const {
  if (!value || !other.value) return value.has_value();
  return lower_is_better ? *value < *other.value : *value > *other.value;
}

Quality quality_of(const Study& study, const Answers& answers) {
  if (task::UserMetric* const metric = study.known.metric) {
    const auto score = score_by(*metric, study, answers);
    if (!score) return {};
    return {score->value, score->ci95, !metric->higher_is_better()};
  }
  const task::Figure figure = scored(answers, study.annotations, study.task);
  if (figure.n == 0) return {};
  return {figure.mean(), figure.ci95, false};
}

}  // namespace edgeprobe::diagnose
