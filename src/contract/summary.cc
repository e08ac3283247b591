// SPDX-License-Identifier: Apache-2.0
#include "contract/summary.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "task/answers/answer_task.h"

namespace edgeprobe::contract {

Span range_of(const TensorSeries& series) {
  Span range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const auto& [frame, figures] : series.frames) {
    if (figures.values == figures.not_finite) continue;
    range.low = std::min(range.low, figures.least);
    range.high = std::max(range.high, figures.most);
  }
  return range.low > range.high ? Span{} : range;
}

namespace {

std::vector<ChannelSeries> series_of(const TensorSeries& series, bool by_channel) {
  std::vector<ChannelSeries> channels;
  for (const auto& [frame, figures] : series.frames) {
    if (figures.values == figures.not_finite) continue;
    const std::vector<Moments> whole{figures};
    const std::vector<Moments>& moments =
        by_channel && !figures.channels.empty() ? figures.channels : whole;
    if (channels.empty()) channels.resize(moments.size());
    // The shapes vary, so there are no common channels.
    if (channels.size() != moments.size()) return {};
    for (std::size_t c = 0; c < moments.size(); ++c) {
      channels[c].means.push_back(moments[c].mean);
      channels[c].stds.push_back(moments[c].std);
    }
  }
  return channels;
}

/// Digests of a frame's inputs except states; empty if each of them is constant.
std::vector<std::uint64_t> fed(const TraceFigures& figures, std::uint32_t frame,
                               const std::vector<std::string>& states) {
  std::vector<std::uint64_t> digests;
  bool varies = false;
  for (const auto& [key, series] : figures.tensors) {
    if (key.first != trace::Stage::kModelInput ||
        std::find(states.begin(), states.end(), key.second) != states.end())
      continue;
    const auto one = series.frames.find(frame);
    if (one == series.frames.end()) continue;
    digests.push_back(one->second.digest);
    varies = varies || one->second.least < one->second.most || one->second.not_finite > 0;
  }
  return varies ? digests : std::vector<std::uint64_t>();
}

}  // namespace

std::vector<ChannelSeries> channels_of(const TensorSeries& series) {
  return series_of(series, true);
}

std::vector<ChannelSeries> whole_of(const TensorSeries& series) { return series_of(series, false); }

std::vector<Repeat> repeats_of(const TraceFigures& figures,
                               const std::vector<std::string>& states) {
  std::vector<Repeat> runs;
  std::vector<std::uint64_t> before;
  const std::string* sample = nullptr;
  for (const trace::FrameRecord& record : figures.records) {
    std::vector<std::uint64_t> now = fed(figures, record.frame, states);
    const bool is_meant = sample && !record.sample.empty() && *sample == record.sample;
    if (!now.empty() && now == before && !is_meant) ++runs.back().length;
    else runs.push_back({record.frame, 1});
    before = std::move(now);
    sample = &record.sample;
  }
  return runs;
}

std::vector<std::string> fed_states(const std::vector<std::string>& states) {
  std::vector<std::string> inputs;
  for (const std::string& state : states) inputs.push_back(state.substr(state.find('=') + 1));
  return inputs;
}

Repeat longest_of(const std::vector<Repeat>& runs) {
  const auto longest =
      std::max_element(runs.begin(), runs.end(),
                       [](const Repeat& a, const Repeat& b) { return a.length < b.length; });
  return longest == runs.end() ? Repeat{} : *longest;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

std::optional<Alike> alike_of(const Evidence& evidence) {
  if (!evidence.summary || evidence.summary->output.empty()) return std::nullopt;
  const TensorSeries* const scores =
      evidence.figures.tensor(trace::Stage::kModelOutput, evidence.summary->output);
  if (!scores) return std::nullopt;
  std::map<int, std::uint64_t> counts;
  Alike alike;
  bool probabilities = true;
  for (const auto& [frame, figures] : scores->frames) {
    if (figures.best < 0) continue;
    const std::uint64_t count = ++counts[figures.best];
    ++alike.all;
    probabilities = probabilities && figures.probabilities;
    if (count <= alike.part) continue;
    alike.part = count;
    alike.index = figures.best;
  }
  if (alike.all == 0) return std::nullopt;
  alike.probabilities = probabilities;
  return alike;
}

std::optional<Metric> metric_of(const Evidence& evidence) {
  if (!evidence.summary) return std::nullopt;
  const compare::TraceSummary& summary = *evidence.summary;
  if (const auto& metric = summary.metric) {
    if (!metric->target.value || !metric->target.ci95) return std::nullopt;
    return Metric{metric->name, *metric->target.value, *metric->target.ci95, metric->frames,
                  !metric->higher_is_better};
  }
  if (const auto& answers = summary.answers;
      answers && answers->task && answers->target.value && answers->target.ci95)
    return Metric{std::string(answers->task->metric), *answers->target.value, *answers->target.ci95,
                  answers->frames, !answers->task->higher_is_better};
  if (!summary.top1 || summary.top1->all == 0) return std::nullopt;
  return Metric{"top1_accuracy",
                static_cast<double>(summary.top1->part) / static_cast<double>(summary.top1->all),
                summary.top1->ci95, summary.top1->all, false};
}

std::map<std::string, std::string> measured_with(const TraceFigures& figures) {
  std::map<std::string, std::string> facts;
  for (const auto& [key, value] : figures.declared)
    if (key == "engine" || key == "engine_version" || key == "kernels" || key == "threads" ||
        key.rfind("delegate.", 0) == 0)
      facts[key] = value;
  return facts;
}

std::optional<double> peak_mb(const TraceFigures& figures) {
  const auto peak = figures.memory.find("peak");
  if (peak == figures.memory.end()) return std::nullopt;
  const double bytes = std::strtod(peak->second.c_str(), nullptr);
  if (!(bytes > 0 && bytes < 1e15)) return std::nullopt;
  return bytes / 1e6;
}

std::map<std::string, double> drift_of(const compare::Agreement& agreement) {
  std::map<std::string, double> layers;
  for (const compare::LayerAgreement& layer : agreement.layers)
    if (layer.stage != trace::Stage::kModelInput && layer.distances.rmse_over_range)
      layers[std::string(trace::name(layer.stage)) + "/" + layer.name] =
          *layer.distances.rmse_over_range;
  return layers;
}

}  // namespace edgeprobe::contract
