// SPDX-License-Identifier: Apache-2.0
#include "contract/learn.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "contract/summary.h"
#include "stats/proportion.h"

namespace edgeprobe::contract {
namespace {

// Sets the channels that rest at times. If all do, the source does: then sets how quiet it gets.
void set_rests(const std::vector<ChannelSeries>& channels, InputTerms& terms) {
  std::vector<double>& rests = terms.rests;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const double least = kHardlyVaries * mean_of(channels[c].stds);
    if (std::any_of(channels[c].stds.begin(), channels[c].stds.end(),
                    [&](double std) { return std < least; }))
      rests.push_back(static_cast<double>(c));
  }
  if (rests.empty() || rests.size() < channels.size()) return;
  rests.clear();
  for (const ChannelSeries& channel : channels)
    terms.quietest.push_back(*std::min_element(channel.stds.begin(), channel.stds.end()));
}

InputTerms input_terms(const TensorSeries& series) {
  InputTerms terms;
  terms.dtype = series.spec.dtype;
  terms.shape = series.spec.shape;
  terms.range = range_of(series);
  const std::vector<ChannelSeries> channels = channels_of(series);
  for (const ChannelSeries& channel : channels) {
    terms.mean.push_back(mean_of(channel.means));
    terms.std.push_back(mean_of(channel.stds));
  }
  set_rests(channels, terms);
  return terms;
}

OutputTerms output_terms(const TensorSeries& series) {
  OutputTerms terms;
  terms.dtype = series.spec.dtype;
  terms.shape = series.spec.shape;
  terms.range = range_of(series);
  terms.probabilities = std::all_of(series.frames.begin(), series.frames.end(),
                                    [](const auto& one) { return one.second.probabilities; });
  if (terms.probabilities) {
    terms.range = {0, 1};
    terms.margin = 0.01;  // Allows for rounding in a softmax.
  }
  return terms;
}

void widen(std::optional<Span>& span, double low, double high) {
  if (!span) span = Span{low, high};
  span->low = std::min(span->low, low);
  span->high = std::max(span->high, high);
}

std::optional<AnswerTerms> answer_terms(const Evidence& evidence) {
  AnswerTerms terms;
  // Allows half of the remaining way to a constant answer, because other pictures have other
  // classes. Without labels or probabilities, the largest value need not be a class.
  if (const auto alike = alike_of(evidence); alike && (alike->probabilities || metric_of(evidence)))
    terms.most_alike = (1 + stats::wilson(alike->part, alike->all).high) / 2;
  if (const auto metric = metric_of(evidence)) {
    terms.metric = metric->name;
    terms.lower_is_better = metric->lower_is_better;
    terms.least = metric->lower_is_better ? metric->ci95.high : metric->ci95.low;
  }
  std::set<std::string> parts;
  for (const auto& [channel, frames] : evidence.figures.answers)
    for (const auto& [frame, answer] : frames) {
      parts.insert(answer.parts.begin(), answer.parts.end());
      const auto items =
          answer.items ? std::optional(static_cast<double>(*answer.items)) : std::nullopt;
      if (items) widen(terms.items, *items, *items);
      if (answer.score && answer.least_score)
        widen(terms.scores, *answer.least_score, *answer.score);
    }
  // If the number of items is constant, the contract asserts it; a varying number depends on the
  // pictures.
  if (terms.items && terms.items->low < terms.items->high)
    terms.items = Span{0, std::ceil(1.5 * terms.items->high)};
  if (terms.scores && terms.scores->low >= 0 && terms.scores->high <= 1) terms.scores->high = 1;
  terms.parts.assign(parts.begin(), parts.end());
  if (!terms.most_alike && !terms.least && terms.parts.empty()) return std::nullopt;
  return terms;
}

/// Nothing if there are few frames, or the app was shown one picture repeatedly.
std::optional<std::uint64_t> repeats(const TraceFigures& figures,
                                     const std::vector<std::string>& states) {
  constexpr std::size_t kFewest = 8;
  const std::uint64_t longest = longest_of(repeats_of(figures, fed_states(states))).length;
  if (figures.records.size() < kFewest || 4 * longest > figures.records.size()) return std::nullopt;
  return longest;
}

std::optional<DriftTerms> drift_terms(const Evidence& evidence) {
  if (!evidence.agreement) return std::nullopt;
  DriftTerms terms;
  terms.layers = drift_of(*evidence.agreement);
  if (terms.layers.empty()) return std::nullopt;
  return terms;
}

}  // namespace

Contract learn(const Evidence& evidence, const std::string& recipe, const std::string& tool,
               bool with_speed) {
  Contract contract;
  const TraceFigures& figures = evidence.figures;
  contract.learned_from = {{"trace", evidence.subject.trace->path().filename().string()},
                           {"frames", std::to_string(figures.records.size())},
                           {"tool", tool}};
  if (evidence.subject.reference)
    contract.learned_from["reference"] = evidence.subject.reference->path().filename().string();
  contract.recipe = recipe;
  for (const auto& [key, series] : figures.tensors) {
    if (key.first == trace::Stage::kModelInput) contract.inputs[key.second] = input_terms(series);
    if (key.first == trace::Stage::kModelOutput)
      contract.outputs[key.second] = output_terms(series);
  }
  if (evidence.states)
    for (const pipeline::CarriedState& state : evidence.states->recorded.pairs)
      contract.states.push_back(state.output + "=" + state.input);
  contract.repeats = repeats(figures, contract.states);
  contract.stages.assign(figures.stages.begin(), figures.stages.end());
  contract.answers = answer_terms(evidence);
  if (with_speed && evidence.summary && evidence.summary->p50_ms)
    contract.latency = LatencyTerms{*evidence.summary->p50_ms, *evidence.summary->p90_ms,
                                    LatencyTerms{}.margin, measured_with(figures)};
  if (const auto peak = peak_mb(figures); with_speed && peak)
    contract.memory = MemoryTerms{*peak, MemoryTerms{}.margin};
  contract.drift = drift_terms(evidence);
  return contract;
}

std::vector<std::string> weaknesses(const Contract& learned, const Evidence& evidence) {
  constexpr std::size_t kFewest = 5;
  std::vector<std::string> all;
  if (learned.recipe.empty())
    all.push_back("the trace declares no recipe: pre-processing is not judged; give --recipe");
  if (const std::size_t frames = evidence.figures.records.size(); frames < kFewest)
    all.push_back("the trace has only " + std::to_string(frames) +
                  (frames == 1 ? " frame" : " frames") +
                  ": ranges and means of other pictures may lie outside these bounds; learn from "
                  "more frames");
  return all;
}

}  // namespace edgeprobe::contract
