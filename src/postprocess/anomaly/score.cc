// SPDX-License-Identifier: Apache-2.0
#include "postprocess/anomaly/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "postprocess/classify.h"

namespace edgeprobe::postprocess::anomaly {
namespace {

Error usage(std::string what) { return {ErrorKind::kUsage, std::move(what)}; }

// Index of the input that the output is compared with.
Result<std::size_t> input_of(const Recipe& recipe, std::span<const TensorView> inputs,
                             std::size_t count) {
  if (recipe.input) {
    if (*recipe.input < inputs.size()) return *recipe.input;
    return usage("input=" + std::to_string(*recipe.input) + ": the model has " +
                 std::to_string(inputs.size()) + " inputs, counted from 0");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (element_count(inputs[i].spec->shape) == count) return i;
  return usage("no input has as many numbers as the output, " + std::to_string(count) +
               ": score(output) is for a model whose output is the score");
}

double measured(Measure measure, std::span<const double> output, std::span<const double> input) {
  double squares = 0, absolutes = 0, largest = 0;
  for (std::size_t i = 0; i < output.size(); ++i) {
    const double d = output[i] - input[i], absolute = std::fabs(d);
    squares += d * d;
    absolutes += absolute;
    // Keeps NaN.
    if (!(absolute <= largest)) largest = absolute;
  }
  const auto n = static_cast<double>(output.size());
  switch (measure) {
    case Measure::kMse: return squares / n;
    case Measure::kMae: return absolutes / n;
    case Measure::kRmse: return std::sqrt(squares / n);
    case Measure::kSse: return squares;
    case Measure::kSae: return absolutes;
    case Measure::kL2: return std::sqrt(squares);
    case Measure::kLargestSquare: return largest * largest;
    case Measure::kLargestAbsolute: return largest;
    case Measure::kOutput: break;
  }
  return output.front();
}

}  // namespace

Result<std::vector<double>> window_scores(const Recipe& recipe, std::span<const TensorView> inputs,
                                          std::span<const TensorView> outputs) {
  if (recipe.output >= outputs.size())
    return usage("output(" + std::to_string(recipe.output) + "): the model has " +
                 std::to_string(outputs.size()) + " outputs, counted from 0");
  const TensorView& output = outputs[recipe.output];
  EP_TRY(const auto out, read_values(recipe.reading, output));
  if (out.empty()) return usage("the output has no numbers");
  const Shape& shape = output.spec->shape;
  const std::size_t windows = shape.size() < 2 ? 1 : static_cast<std::size_t>(shape.front());
  const std::size_t width = out.size() / windows;
  if (recipe.measure == Measure::kOutput) {
    if (width != 1)
      return usage("score(output): the output has " + std::to_string(width) +
                   " numbers a window, and not one");
    return out;
  }
  EP_TRY(const auto place, input_of(recipe, inputs, out.size()));
  EP_TRY(const auto in, read_values(recipe.reading, inputs[place]));
  if (in.size() != out.size())
    return usage("input " + std::to_string(place) + " has " + std::to_string(in.size()) +
                 " numbers, output " + std::to_string(recipe.output) + " has " +
                 std::to_string(out.size()));
  std::vector<double> scores;
  for (std::size_t w = 0; w < windows; ++w)
    scores.push_back(measured(recipe.measure, std::span(out).subspan(w * width, width),
                              std::span(in).subspan(w * width, width)));
  return scores;
}

double score_of(Windows windows, std::vector<double> scores) {
  const auto n = scores.size();
  for (const double score : scores)
    if (std::isnan(score)) return std::numeric_limits<double>::quiet_NaN();
  switch (windows) {
    case Windows::kLargest: return *std::max_element(scores.begin(), scores.end());
    case Windows::kFirst: return scores.front();
    case Windows::kLast: return scores.back();
    case Windows::kMedian:
      std::sort(scores.begin(), scores.end());
      return n % 2 == 1 ? scores[n / 2] : (scores[n / 2 - 1] + scores[n / 2]) / 2;
    case Windows::kMean:
    case Windows::kSum: break;
  }
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  return windows == Windows::kSum ? sum : sum / static_cast<double>(n);
}

bool is_alarm(const Recipe& recipe, double score) {
  return recipe.is_inverted ? score < *recipe.threshold : score >= *recipe.threshold;
}

Result<trace::Answer> run(const Recipe& recipe, std::span<const TensorView> inputs,
                          std::span<const TensorView> outputs) {
  EP_TRY(auto windows, window_scores(recipe, inputs, outputs));
  const double score = score_of(recipe.windows, std::move(windows));
  trace::Answer answer;
  answer.score = static_cast<float>(score);
  if (recipe.threshold) answer.alarm = is_alarm(recipe, score);
  return answer;
}

}  // namespace edgeprobe::postprocess::anomaly
