// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/numbers/deciding.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text.h"
#include "postprocess/anomaly/score.h"
#include "postprocess/embedding/vector.h"
#include "search/made_up.h"

namespace edgeprobe::diagnose::numbers {
namespace {

using search::StoredNumbers;

// Relative differences above these are larger than rounding to half precision can explain.
constexpr double kUnlikeVector = 2e-3, kUnlikeScore = 2e-3;

using Answered = Result<trace::Answer>;

template <class Run>
std::pair<Answered, Answered> both(const RecordedFrame& frame, Run run) {
  const std::vector<TensorView> inputs(frame.inputs.begin(), frame.inputs.end()),
      outputs(frame.outputs.begin(), frame.outputs.end());
  return {run(true, inputs, outputs), run(false, inputs, outputs)};
}

// A copy of the frame in which `change(value, place, largest)` has replaced each stored number of
// one output.
template <class Change>
RecordedFrame with_output(const RecordedFrame& frame, std::size_t output, Change change) {
  RecordedFrame out = frame;
  StoredNumbers numbers(frame.outputs[output]);
  float largest = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    largest = std::max(largest, std::fabs(numbers[i]));
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<float>(change(double{numbers[i]}, i, double{largest}));
  out.outputs[output] = numbers.tensor();
  return out;
}

double scattered_around_zero(double, std::size_t i, double largest) {
  return largest * (2 * search::scattered(i) - 1);
}
double scattered_above_zero(double, std::size_t i, double largest) {
  return largest * search::scattered(i);
}
double tripled(double value, std::size_t, double) { return 3 * value; }
double with_one_large(double value, std::size_t i, double largest) {
  return i == 1 ? 3 * largest : value / 4;
}

// The frame with a mask input of ones, or with padding in its second half.
RecordedFrame with_mask(const RecordedFrame& frame, std::size_t input, bool has_padding) {
  RecordedFrame out = frame;
  StoredNumbers mask(frame.inputs[input]);
  for (std::size_t i = 0; i < mask.size(); ++i)
    mask[i] = has_padding && 2 * i >= mask.size() ? 0.F : 1.F;
  out.inputs[input] = mask.tensor();
  return out;
}

}  // namespace

bool differ(const postprocess::embedding::Recipe& a, const postprocess::embedding::Recipe& b,
            const RecordedFrame& frame) {
  const auto [of_a, of_b] = both(frame, [&](bool first, const auto& inputs, const auto& outputs) {
    return postprocess::embedding::run(first ? a : b, inputs, outputs);
  });
  if (!of_a || !of_b) return false;
  const auto &one = *of_a->vector, &other = *of_b->vector;
  if (one.size() != other.size()) return true;
  double off = 0, size = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    off += std::pow(double{one[i]} - double{other[i]}, 2);
    size += std::pow(double{one[i]}, 2);
  }
  return std::sqrt(off) > kUnlikeVector * std::sqrt(size);
}

bool differ(const postprocess::anomaly::Recipe& a, const postprocess::anomaly::Recipe& b,
            const RecordedFrame& frame) {
  const auto [of_a, of_b] = both(frame, [&](bool first, const auto& inputs, const auto& outputs) {
    return postprocess::anomaly::run(first ? a : b, inputs, outputs);
  });
  if (!of_a || !of_b) return false;
  const double one = *of_a->score, other = *of_b->score;
  return (frame.answer.score && std::fabs(one - other) > kUnlikeScore * std::fabs(one)) ||
         (frame.answer.alarm && of_a->alarm != of_b->alarm);
}

std::string deciding_input(const postprocess::embedding::Recipe& a,
                           const postprocess::embedding::Recipe& b,
                           std::span<const RecordedFrame> frames) {
  const std::size_t output = std::min(a.output, b.output);
  if (frames.empty() || output >= frames.front().outputs.size()) return "";
  const RecordedFrame& base = frames.front();
  if (const auto mask = a.mask ? a.mask : b.mask; mask && *mask < base.inputs.size()) {
    if (differ(a, b, with_mask(base, *mask, true))) return "an input with more padding";
    if (differ(a, b, with_mask(base, *mask, false))) return "an input without padding";
  }
  using Change = double (*)(double, std::size_t, double);
  const std::pair<Change, const char*> changes[] = {
      {tripled, "an input whose output has larger numbers, all by the same factor"},
      {scattered_around_zero, "an input whose output has negative numbers next to positive ones"},
      {scattered_above_zero, "an input whose output has other numbers in each row"},
      {with_one_large, "an input whose output has one number far above the others"},
  };
  for (const auto& [change, words] : changes)
    if (differ(a, b, with_output(base, output, change))) return words;
  return "";
}

std::string deciding_input(const postprocess::anomaly::Recipe& a,
                           const postprocess::anomaly::Recipe& b,
                           std::span<const RecordedFrame> frames) {
  const std::size_t output = std::min(a.output, b.output);
  if (frames.empty() || output >= frames.front().outputs.size()) return "";
  const RecordedFrame& base = frames.front();
  if (a.measure == b.measure && a.windows == b.windows && a.threshold && b.threshold &&
      a.threshold != b.threshold)
    return "an input with a score from " + number(std::min(*a.threshold, *b.threshold), 4) +
           " to " + number(std::max(*a.threshold, *b.threshold), 4);
  using Change = double (*)(double, std::size_t, double);
  const std::pair<Change, const char*> changes[] = {
      {tripled, "an input that the model gets more wrong"},
      {scattered_around_zero, "an input that the model gets wrong in every number"},
      {with_one_large, "an input that the model gets wrong in only one number"},
  };
  for (const auto& [change, words] : changes)
    if (differ(a, b, with_output(base, output, change))) return words;
  return "";
}

}  // namespace edgeprobe::diagnose::numbers
