// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace edgeprobe::layers {

/// The figures of one paired operator for the decision; those not measured are unset.
struct Figures {
  std::string type;
  std::optional<double> error_gain, share, single_layer_error;  ///< The last is the injection
                                                                ///< divided by the logit NRMSE.
  std::optional<double> relative, score, scale_ratio, clip;
  bool constants_differ = false;
  /// For the weights: the target's step divided by the ideal one.
  std::optional<double> step_width;
};

enum class Suspicion {
  kWeights,      ///< Its constants differ from the reference's.
  kActivation,   ///< Its output's scale, zero point or range.
  kCalibration,  ///< The scales of many layers suit other values than these.
  kPerTensor,    ///< One scale for weights of channels with very different magnitudes.
  /// Biases that the target's file cannot represent, or whose scale is not that of their products.
  kBias,
  /// It differs from the reference's operator with the same weights and inputs.
  kOperator,
  kWhileRunning,  ///< Its weights are right, but 8 bits are too few for its inputs.
  kUnexplained,   ///< The error arises here, for an unknown reason.
};
struct Suspect {
  std::size_t row = 0;
  Suspicion suspicion = Suspicion::kUnexplained;
  bool tied = false;  ///< kActivation: an operator whose output must share its input's scale.
};

/// True if a local error is far above rounding, or a range clips values. Whether it matters is
/// another question.
bool looks_wrong(const Figures& figures);

/// A range that clips at least this much (in standard deviations) counts as narrow if others are
/// too narrow.
inline constexpr double kSlightClip = 0.02;

/// The range clips values, or the step is far larger than the values need.
bool too_narrow(const Figures& figures);
bool too_wide(const Figures& figures);

/// Layers to blame for a logit NRMSE between a quantised model and its reference if kernels are
/// right (docs/internals/diagnosis.md). `severe` is GapLimits::severe of the pair. Several only for
/// kWeights. Empty if nothing stands out.
std::vector<Suspect> suspects(const std::vector<Figures>& rows, double logit_nrmse, double severe);

}  // namespace edgeprobe::layers
