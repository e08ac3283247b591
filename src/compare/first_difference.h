// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace edgeprobe::compare {

/// How far one layer of the target lies from its partner when both sides were given the same model
/// input.
struct LayerDistance {
  double nse = 0;  ///< MSE / variance of the reference; 0: equal.
  std::optional<double> rmse_over_range;
  /// nse over the largest among the layers that it reads, plus a floor; where the graph is not
  /// known, over the largest of all layers before it.
  double error_gain = 0;
};

/// Why a layer counts as the first one that differs.
enum class FirstRule {
  kEqualBefore,    ///< Everything before it is equal; its own NRMSE is beyond rounding.
  kNrmse,          ///< NRMSE, the root of nse, beyond what other kernels round to.
  kErrorGain,      ///< Error gain, where one side computes in integers and all layers drift.
  kRmseOverRange,  ///< RMSE over range above a limit that the user gave: ML-EXray's rule.
};
inline constexpr const char* kFirstRuleNames[] = {"equal_before", "nrmse", "error_gain",
                                                  "rmse_over_range"};
constexpr const char* name(FirstRule rule) {
  return kFirstRuleNames[static_cast<std::size_t>(rule)];
}

/// Limits of the rules. NRMSE of a layer behind equal ones: 3e-5, where other kernels round to
/// 1.1e-5 of the RMS at most; .01 where one side computes in integers, a third of one step in
/// coarsely scaled tensors. NRMSE of real numbers elsewhere: 1e-3. Error gain: 10, with an RMSE
/// over range above .05 that the next ten layers keep to a tenth.
inline constexpr double kFirstNrmseReal = 3e-5, kFirstNrmseInteger = 0.01, kLaterNrmse = 1e-3,
                        kFirstGain = 10, kFirstGainRange = 0.05;

struct FirstDifference {
  std::size_t layer = 0;  ///< Index into the list.
  FirstRule rule = FirstRule::kEqualBefore;
  double value = 0, limit = 0;   ///< In the measure of the rule.
  std::size_t equal_before = 0;  ///< Of the `layer` layers before it.
  double largest_before = 0;     ///< Largest NRMSE before it.
};

/// The first of the layers, in execution order, that differs by more than rounding. Nothing when
/// none does, or when the distances grow without a step; a difference that no layer behind it
/// shows counts for none. `above`: ML-EXray's rule alone, the first
/// RMSE over range above it.
std::optional<FirstDifference> first_difference(const std::vector<LayerDistance>& layers,
                                                bool integers, std::optional<double> above);

}  // namespace edgeprobe::compare
