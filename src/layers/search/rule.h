// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgeprobe::layers {

/// The figures of one paired operator that the decision rests on; what was not measured is nothing.
struct Figures {
  std::string type;
  std::optional<double> error_gain, share, single_layer_error;  ///< injection over the logit NRMSE.
  std::optional<double> relative, score, scale_ratio, clip;
  bool constants_differ = false;
  std::optional<double> step_width;  ///< Of the weights: the target's step over the ideal one.
};

enum class Suspicion {
  kWeights,      ///< Its constants are not the reference's.
  kActivation,   ///< Its output's scale, zero point or range.
  kCalibration,  ///< The scales of many layers at once fit other values than these.
  kPerTensor,    ///< One scale for weights of channels of very different size.
  /// Biases that the target's file cannot hold, or whose scale is not that of their products.
  kBias,
  /// It computes something else than the reference's operator does with the same weights and
  /// inputs.
  kOperator,
  kWhileRunning,  ///< Its weights are right, and 8 bits for what it reads are too few.
  kUnexplained,   ///< The error arises here, for no reason that was found.
};
struct Suspect {
  std::size_t row = 0;
  Suspicion suspicion = Suspicion::kUnexplained;
  bool tied = false;  ///< kActivation: an operator whose output must share its input's scale.
};

/// A local error that is far more than rounding, or a range that cuts values off. Whether it
/// matters is another question.
bool looks_wrong(const Figures& figures);

/// Deviations that a range cuts off from which it counts as narrow, where others are too narrow.
inline constexpr double kSlightClip = 0.02;

/// The range cuts values off, or the step is far wider than the values need.
bool too_narrow(const Figures& figures);
bool too_wide(const Figures& figures);

/// Who is to blame for a logit NRMSE between a quantised model and its reference when kernels are
/// right (docs/internals/diagnosis.md). `severe` is GapLimits::severe of the pair. Several only for
/// kWeights. Empty when nothing stands out.
std::vector<Suspect> suspects(const std::vector<Figures>& rows, double logit_nrmse, double severe);

}  // namespace edgeprobe::layers
