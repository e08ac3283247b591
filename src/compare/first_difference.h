// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace edgeprobe::compare {

/// Distance of one target layer from its partner if both sides get the same model input.
struct LayerDistance {
  double nse = 0;  ///< MSE / variance of the reference; 0: equal.
  std::optional<double> rmse_over_range;
  /// nse divided by the largest nse of the layers it reads, plus a floor; without a graph, by the
  /// largest of all earlier layers.
  double error_gain = 0;
};

/// Reason why a layer counts as the first difference.
enum class FirstRule {
  kEqualBefore,    ///< All earlier layers are equal, and its own NRMSE exceeds rounding.
  kNrmse,          ///< NRMSE, the square root of nse, exceeds the rounding of other kernels.
  kErrorGain,      ///< Error gain, if one side computes in integers and all layers drift.
  kRmseOverRange,  ///< RMSE over range above the user's limit: ML-EXray's rule.
};
inline constexpr const char* kFirstRuleNames[] = {"equal_before", "nrmse", "error_gain",
                                                  "rmse_over_range"};
constexpr const char* name(FirstRule rule) {
  return kFirstRuleNames[static_cast<std::size_t>(rule)];
}

/// Limits of the rules. NRMSE of a layer after equal ones: 3e-5, since other kernels round by at
/// most 1.1e-5 of the RMS; .01 if one side computes in integers, a third of a step in coarsely
/// scaled tensors. NRMSE of real numbers elsewhere: 1e-3. Error gain: 10, with an RMSE over range
/// above .05 of which the next ten layers keep at least a tenth.
inline constexpr double kFirstNrmseReal = 3e-5, kFirstNrmseInteger = 0.01, kLaterNrmse = 1e-3,
                        kFirstGain = 10, kFirstGainRange = 0.05;

struct FirstDifference {
  std::size_t layer = 0;  ///< Index into the list.
  FirstRule rule = FirstRule::kEqualBefore;
  double value = 0, limit = 0;   ///< Value and limit, in the rule's unit.
  std::size_t equal_before = 0;  ///< Number of equal ones among the `layer` layers before it.
  double largest_before = 0;     ///< Largest NRMSE before it.
};

/// The first layer in execution order that differs by more than rounding. Nothing if there is none,
/// or the distances grow without a step. Ignores a difference that no later layer shows. `above`:
/// applies only ML-EXray's rule, the first RMSE over range above it.
std::optional<FirstDifference> first_difference(const std::vector<LayerDistance>& layers,
                                                bool integers, std::optional<double> above);

}  // namespace edgeprobe::compare
