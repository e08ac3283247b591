// SPDX-License-Identifier: Apache-2.0
#include "compare/first_difference.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::compare {
namespace {

constexpr std::size_t kNeighbours = 10;
constexpr double kKept = 10;

// Median of the RMSE over range in [from, to); 0 if there is none.
double median(const std::vector<LayerDistance>& layers, std::size_t from, std::size_t to) {
  std::vector<double> values;
  for (std::size_t i = from; i < std::min(to, layers.size()); ++i)
    if (layers[i].rmse_over_range) values.push_back(*layers[i].rmse_over_range);
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// True for a step that later layers keep; softmax and other squashing layers jump by themselves.
bool stays(const std::vector<LayerDistance>& layers, std::size_t i) {
  if (i + 1 == layers.size()) return true;
  const std::size_t from = i > kNeighbours ? i - kNeighbours : 0;
  return median(layers, i + 1, i + 1 + kNeighbours) >= kKept * median(layers, from, i);
}

// True if a later layer shows the difference; otherwise the two tensors are not partners.
bool is_passed_on(const std::vector<LayerDistance>& layers, std::size_t i, double nrmse) {
  return i + 1 == layers.size() ||
         std::any_of(layers.begin() + static_cast<std::ptrdiff_t>(i) + 1, layers.end(),
                     [&](const LayerDistance& later) { return std::sqrt(later.nse) > nrmse; });
}

}  // namespace

std::optional<FirstDifference> first_difference(const std::vector<LayerDistance>& layers,
                                                bool integers, std::optional<double> above) {
  FirstDifference found;
  const double behind_equal = integers ? kFirstNrmseInteger : kFirstNrmseReal;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerDistance& layer = layers[i];
    const double nrmse = std::sqrt(layer.nse), range = layer.rmse_over_range.value_or(0);
    const auto is = [&](FirstRule rule, double value, double limit) {
      found.layer = i;
      found.rule = rule;
      found.value = value;
      found.limit = limit;
      return value > limit;
    };
    const bool first = above ? is(FirstRule::kRmseOverRange, range, *above)
                       : found.equal_before == i && i > 0 && nrmse > behind_equal
                           ? is(FirstRule::kEqualBefore, nrmse, behind_equal)
                       : !integers ? is(FirstRule::kNrmse, nrmse, kLaterNrmse)
                                   : range > kFirstGainRange && stays(layers, i) &&
                                         is(FirstRule::kErrorGain, layer.error_gain, kFirstGain);
    if (first && (above || is_passed_on(layers, i, behind_equal))) return found;
    found.equal_before += layer.nse == 0;
    found.largest_before = std::max(found.largest_before, nrmse);
  }
  return std::nullopt;
}

}  // namespace edgeprobe::compare
