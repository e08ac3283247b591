// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "compare/outputs/agreement.h"

namespace edgeprobe::compare {

enum class Outcome { kAgrees, kDiffers, kUndecided };

/// What an outcome rests on.
enum class Reason {
  kInterrupted,
  kNothingJoined,   ///< The traces have no frame in common.
  kEvaluationLost,  ///< The recorded answers of the target are worth significantly less.
  kAnswers,         ///< How the recorded answers agree.
  kNothingPaired,   ///< No tensor could be compared.
  kSwapped,         ///< Two outputs of the target stand in each other's place.
  kEqual,           ///< Every compared tensor is equal.
  kNotFinite,       ///< NaN or infinite values on one side only.
  kShapes,          ///< An output has another shape on both sides in some frames.
  kAccuracyLost,    ///< The target is significantly less often right.
  kFarValues,       ///< The distance lies below the floor, single values lie far apart.
  kDistance,        ///< The distance of the outputs, against the floor.
};

/// What an agreement of two traces comes to, as values.
struct Decision {
  Outcome outcome = Outcome::kUndecided;
  Reason reason = Reason::kInterrupted;
  double floor = 0;
  std::optional<double> distance;
  /// `distance` is the mean output distance; else the largest relative L2 of a tensor.
  bool is_of_outputs = false;
  /// Both traces hold fewer than half of the frames of the shorter one: enough for a difference,
  /// and for no agreement.
  bool is_of_few_frames = false;
  std::size_t frames_without_tensor = 0;  ///< With kEqual: one tensor is missing in so many.
  std::size_t swapped = 0;                ///< With kSwapped: which of Agreement::swapped.
};
/// `floor`: of the output distance; nothing for output_floor().
Decision decision_of(const Agreement& agreement, std::optional<double> floor);

/// Of real numbers that were made of bit-equal model inputs, and whose distance lies below this
/// floor: that single values lie far apart, as a sentence. Empty: none does.
std::string far_values(const Agreement& agreement, double floor);

/// The first output that has another shape on both sides in some frames; null: none has.
const LayerAgreement* unlike_output(const Agreement& agreement);
/// "the output 'y' is 3x3 and the reference's 2x3 in frame 0; …": of such an output.
std::string shapes_text(const LayerAgreement& output, std::size_t frames);

/// The first of the named stages and the model input that is off by more than rounding (one step of
/// 255, RMS), in the reference's order; nothing when the traces have no stage in common, or none
/// is.
const LayerAgreement* first_stage(const Agreement& agreement);

}  // namespace edgeprobe::compare
