// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/postprocessing/numbers/scores.h"
#include "search/rows.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using namespace postprocess::anomaly;  // NOLINT(google-build-using-namespace): its words alone.
using postprocess::Reading;
using ScoreChange = search::Change<Recipe>;

void add(std::vector<ScoreChange>& out, std::uint32_t sets, double weight, std::string words,
         std::function<void(Recipe&)> apply) {
  out.push_back({sets, weight, std::move(words), std::move(apply), 0});
}

void add_score_readings(std::vector<ScoreChange>& out) {
  const std::pair<Reading, const char*> readings[] = {
      {Reading::kValues, "dequantises input and output"},
      {Reading::kCodes, "takes codes of input and output for values, without dequantising them"},
      {Reading::kNoZeroPoint, "dequantises input and output without their zero points"},
      {Reading::kFlippedSign, "takes signed codes for unsigned ones, or the other way round"},
  };
  double weight = 1;
  for (const auto& [reading, words] : readings) {
    add(out, kScoreReading, weight, words, [reading = reading](Recipe& r) { r.reading = reading; });
    weight += 0.1;
  }
}

}  // namespace

// Proposes thresholds that fit the alarms: above `low`, the largest score on the quiet side, up to
// `high`.
void Scores::add_threshold(const Recipe& recipe, std::vector<ScoreChange>& out) {
  double low = -HUGE_VAL, high = HUGE_VAL;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const auto said = score(recipe, i);
    if (!said || std::isnan(*said)) return;
    if (*frames_[i].answer.alarm != recipe.is_inverted) high = std::min(high, *said);
    else low = std::max(low, *said);
  }
  if (low >= high || (low < *recipe.threshold && *recipe.threshold <= high)) return;
  const double value = shortest_between(std::isinf(low) ? high - std::fabs(high) : low,
                                        std::isinf(high) ? low + std::fabs(low) : high);
  std::string range =
      "above " + edgeprobe::number(low, 4) + " and at most " + edgeprobe::number(high, 4);
  if (std::isinf(high)) range = "above " + edgeprobe::number(low, 4);
  if (std::isinf(low)) range = "at most " + edgeprobe::number(high, 4);
  add(out, kThreshold, 1.1,
      "gives its alarm at another score, " + range + " by these frames, such as " +
          edgeprobe::number(value, 9),
      [value](Recipe& r) { r.threshold = value; });
}

std::vector<ScoreChange> Scores::changes(const Recipe& recipe) {
  std::vector<ScoreChange> out;
  const RecordedFrame& first = frames_.front();
  for (std::size_t i = 0; i < first.outputs.size(); ++i)
    add(out, kScoreOutput, 1.1, "reads output " + std::to_string(i),
        [i](Recipe& r) { r.output = i; });
  for (std::size_t i = 0; first.inputs.size() > 1 && i < first.inputs.size(); ++i)
    add(out, kScoreInput, 1.2, "compares with input " + std::to_string(i),
        [i](Recipe& r) { r.input = i; });
  if (recipe.output < first.outputs.size() &&
      !first.outputs[recipe.output].spec.quantization.empty())
    add_score_readings(out);
  search::add_words(steps(), "score.measure", kMeasure, out);
  if (has_windows()) search::add_words(steps(), "score.windows", kWindows, out);
  if (recipe.threshold && has_alarms_) {
    add_threshold(recipe, out);
    search::add_words(steps(), "threshold.alarm", kAlarmSide, out, {1.2, 0});
  }
  return out;
}

}  // namespace edgeprobe::diagnose::numbers
