// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compare/outputs/agreement.h"

namespace edgeprobe::compare {

enum class Outcome { kAgrees, kDiffers, kUndecided };

/// Reason for an outcome.
enum class Reason {
  kInterrupted,
  kNothingJoined,   ///< The traces have no frame in common.
  kMetricLost,      ///< The target is significantly worse by the user's metric.
  kEvaluationLost,  ///< The target's recorded answers score significantly lower.
  kAnswers,         ///< Decided by the agreement of the recorded answers.
  kNothingPaired,   ///< No tensor could be compared.
  kSwapped,         ///< Two outputs of the target are exchanged.
  kEqual,           ///< Every compared tensor is equal.
  kNotFinite,       ///< NaN or infinite values on one side only.
  kShapes,          ///< The sides have different shapes of an output in some frames.
  kAccuracyLost,    ///< The target is right significantly less often.
  kFarValues,       ///< The distance is below the floor, but single values are far apart.
  kDistance,        ///< Decided by the distance of the outputs, compared with the floor.
};

/// Conclusion from an agreement of two traces, as values.
struct Decision {
  Outcome outcome = Outcome::kUndecided;
  Reason reason = Reason::kInterrupted;
  double floor = 0;
  std::optional<double> distance;
  /// `distance` is the mean output distance; if false, the largest relative L2 of a tensor.
  bool is_of_outputs = false;
  /// Both traces share fewer than half of the shorter one's frames: enough to show a difference,
  /// but not agreement.
  bool is_of_few_frames = false;
  std::size_t frames_without_tensor = 0;  ///< With kEqual: number of frames that lack a tensor.
  std::size_t swapped = 0;                ///< With kSwapped: index in Agreement::swapped.
};
/// `floor`: limit for the output distance; unset: output_floor().
Decision decision_of(const Agreement& agreement, std::optional<double> floor);

/// For real numbers from bit-equal model inputs whose distance is below this floor: a sentence if
/// single values are far apart, else empty.
std::string far_values(const Agreement& agreement, double floor);

/// The first output whose shape differs between the sides in some frames; null if there is none.
const LayerAgreement* unlike_output(const Agreement& agreement);
/// "the output 'y' is 3x3 and the reference's 2x3 in frame 0; …", for an output found by
/// unlike_output().
std::string shapes_text(const LayerAgreement& output, std::size_t frames);

/// The first named stage, or model input, that differs by more than rounding (one step of 255,
/// RMS), in the reference's order; nothing if there is none or the traces have no stage in common.
const LayerAgreement* first_stage(const Agreement& agreement);

}  // namespace edgeprobe::compare
