// SPDX-License-Identifier: Apache-2.0
#include "postprocess/classify.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.h"
#include "postprocess/tables.h"
#include "task/classification.h"

namespace edgeprobe::postprocess {
namespace {

double largest(const std::vector<double>& values) {
  double most = -HUGE_VAL;
  for (const double value : values)
    if (value > most) most = value;
  return most;
}

// Sum of exp(x - most), at least 1 unless all values are NaN.
double exponential_sum(const std::vector<double>& values, double most) {
  double sum = 0;
  for (const double value : values) sum += std::exp(value - most);
  return sum;
}

bool is_flipped(Reading reading) {
  return reading == Reading::kFlippedSign || reading == Reading::kFlippedCodes ||
         reading == Reading::kFlippedNoZeroPoint;
}

bool ignores_zero_point(Reading reading) {
  return reading == Reading::kNoZeroPoint || reading == Reading::kFlippedNoZeroPoint;
}

bool keeps_codes(Reading reading) {
  return reading == Reading::kCodes || reading == Reading::kFlippedCodes ||
         reading == Reading::kOf255;
}

DType of_other_sign(DType dtype) {
  switch (dtype) {
    case DType::kInt8: return DType::kUInt8;
    case DType::kUInt8: return DType::kInt8;
    case DType::kInt16: return DType::kUInt16;
    case DType::kUInt16: return DType::kInt16;
    default: return dtype;
  }
}

}  // namespace

Result<std::vector<double>> read_values(Reading reading, const TensorView& output) {
  TensorSpec spec = *output.spec;
  const bool quantised = !spec.quantization.empty() && is_integer(spec.dtype);
  if (quantised && is_flipped(reading)) spec.dtype = of_other_sign(spec.dtype);
  if (quantised && ignores_zero_point(reading)) spec.quantization.zero_point = {0};
  const TensorView view(spec, output.bytes);
  const bool is_stored = quantised && keeps_codes(reading);
  EP_TRY(auto stored, is_stored ? stored_as_float(view) : to_float(view));
  std::vector<double> values(stored.begin(), stored.end());
  const bool bytes = spec.dtype == DType::kInt8 || spec.dtype == DType::kUInt8;
  if (reading == Reading::kOf255 && bytes) {
    const double lowest = spec.dtype == DType::kInt8 ? -128 : 0;
    for (double& value : values) value = (value - lowest) / 255;
  }
  return values;
}

void activate(Activation activation, std::vector<double>& values) {
  const double most = largest(values);
  switch (activation) {
    case Activation::kSoftmax: {
      const double sum = exponential_sum(values, most);
      for (double& value : values) value = std::exp(value - most) / sum;
      return;
    }
    case Activation::kSigmoid:
      for (double& value : values) value = 1 / (1 + std::exp(-value));
      return;
    case Activation::kLogSoftmax: {
      const double logarithm = std::log(exponential_sum(values, most));
      for (double& value : values) value = value - most - logarithm;
      return;
    }
    case Activation::kShare: {
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      for (double& value : values) value /= sum;
      return;
    }
    case Activation::kOfLargest:
      for (double& value : values) value /= most;
      return;
    case Activation::kStretched: {
      double least = HUGE_VAL;
      for (const double value : values)
        if (value < least) least = value;
      for (double& value : values) value = (value - least) / (most - least);
      return;
    }
    case Activation::kExp:
      for (double& value : values) value = std::exp(value);
      return;
    case Activation::kBatchSoftmax: std::fill(values.begin(), values.end(), 1.0); return;
  }
}

Result<std::size_t> output_of(const Classification& recipe,
                              const std::vector<TensorSpec>& outputs) {
  if (recipe.output) {
    if (*recipe.output < outputs.size()) return *recipe.output;
    return Error{ErrorKind::kUsage, "output(" + std::to_string(*recipe.output) +
                                        "): the model has " + std::to_string(outputs.size()) +
                                        " outputs, counted from 0"};
  }
  if (const auto place = task::class_output(outputs)) return *place;
  return Error{ErrorKind::kUsage,
               "no output holds one score for each class, as [1,1001] does; output(N) names one"};
}

Result<std::vector<double>> scores_of(const Classification& recipe, const TensorView& output) {
  auto values = read_values(recipe.reading, output);
  if (!values) return values;
  for (const Activation activation : recipe.activations) activate(activation, *values);
  values->erase(values->begin(), values->begin() + static_cast<std::ptrdiff_t>(
                                                       std::min(recipe.skip, values->size())));
  return values;
}

std::vector<std::size_t> ranking(const std::vector<double>& scores, Order order) {
  std::vector<std::size_t> places(scores.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (order == Order::kUnsorted) return places;
  const double sign = order == Order::kDescending ? 1 : -1;
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    const double x = sign * scores[a], y = sign * scores[b];
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) == std::isnan(y) ? a < b : std::isnan(y);
    return x == y ? a < b : x > y;
  });
  return places;
}

Result<trace::Answer> run(const Classification& recipe, std::span<const TensorView> outputs) {
  std::vector<TensorSpec> specs;
  for (const TensorView& output : outputs) specs.push_back(*output.spec);
  EP_TRY(const auto place, output_of(recipe, specs));
  EP_TRY(const auto scores, scores_of(recipe, outputs[place]));
  const std::vector<std::string> names =
      recipe.labels ? in_order(*recipe.labels, recipe.labels->order) : std::vector<std::string>{};
  trace::Answer answer;
  answer.classes.emplace();
  answer.scores.emplace();
  if (recipe.labels) answer.labels.emplace();
  std::vector<std::size_t> places = ranking(scores, recipe.order);
  if (recipe.most) places.resize(std::min(places.size(), *recipe.most));
  for (const std::size_t at : places) {
    const double score = scores[at];
    if (recipe.threshold && !(score >= *recipe.threshold)) continue;
    answer.classes->push_back(static_cast<std::int64_t>(at));
    answer.scores->push_back(static_cast<float>(recipe.percent ? 100 * score : score));
    if (!recipe.labels) continue;
    const std::int64_t line = static_cast<std::int64_t>(at) + recipe.labels->shift;
    if (line < 0 || static_cast<std::size_t>(line) >= names.size())
      return Error{ErrorKind::kUsage, "labels: class " + std::to_string(at) + " has no line in '" +
                                          sanitized(recipe.labels->table.file) + "', which has " +
                                          std::to_string(names.size())};
    answer.labels->push_back(names[static_cast<std::size_t>(line)]);
  }
  return answer;
}

}  // namespace edgeprobe::postprocess
