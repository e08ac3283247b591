// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "diagnose/verdict/evidence.h"
#include "diagnose/verdict/words.h"
#include "preprocess/decode/source.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose {

/// Data of one frame: the raw picture, and the model input that the target recorded.
struct InputFrame {
  std::string sample;
  const preprocess::Image* raw = nullptr;
  TensorView target;  ///< Stored values, in the target's dtype and shape.
  /// The encoded bytes of `raw`, if available, so that other ways to decode them can be tried.
  /// Borrowed.
  std::optional<preprocess::Source> source = std::nullopt;
};

/// One difference between the target's pre-processing and the reference's.
struct InputFault {
  CauseKind kind = CauseKind::kUnknown;   ///< A kind of pre-processing fault.
  std::string detail;                     ///< "the app feeds BGR; the reference feeds RGB".
  std::vector<std::string> alternatives;  ///< Other names that these frames cannot rule out.
  double contribution = 0;  ///< RMS distance in u8 steps if only this difference is reverted.
  std::string fix_step;     ///< The reference's step.
  bool near_only = false;   ///< Close but not exact: never confirmed.
  /// The target's recipe with this fault and all earlier ones repaired. Like target_recipe, it
  /// begins with decode(…) if the bytes are decoded differently from the reference.
  preprocess::Recipe without_it;
};

struct InputDiagnosis {
  enum class Status {
    kEqual,        ///< No difference, or less than decoders differ by.
    kFound,        ///< The faults, applied to the raw images, reproduce the target's tensors.
    kPartial,      ///< Something differs; `faults` holds only the nearest explanation.
    kUndecidable,  ///< No raw image, constant image, destroyed values, …: `reason`.
  } status = Status::kUndecidable;
  std::string reason;
  double residual_before =
      0;  ///< RMS distance of the target from the reference recipe, in 8-bit steps.
  /// Size of one 8-bit step in real values, by the reference's recipe; 0: unknown.
  double gray_step = 0;
  /// RMS distance with the faults applied to the reference.
  double residual = 0;
  std::vector<InputFault> faults;  ///< By contribution, largest first.
  /// Most of the target's codes are cut off, or only a few differ: other causes would fit as well.
  bool is_saturated = false;
  /// If every frame is one and the same code: the range that gives it for all pixels.
  std::optional<InputFault> cut_off;
  bool is_largest_code = false;      ///< In that case: it is the largest code of the type.
  std::vector<InputFault> notes;     ///< Real, but too small to matter (rounding, decoder).
  preprocess::Recipe target_recipe;  ///< The target's recipe as reconstructed (kFound).
  /// No recipe reproduces the recording, and `target_recipe` and `without_it` are empty: recorded
  /// inputs represent the faults, and the reference's inputs the repaired app.
  bool as_recorded = false;
  /// With `as_recorded`, if pictures were searched: gray steps between a frame's recorded input and
  /// the input that the faults predict from its picture. Nothing if they predict none for the
  /// frame.
  std::function<std::optional<double>(const InputFrame&)> left;
  std::size_t frames_used = 0, frames_agreeing = 0;
  std::vector<Evidence> evidence;  ///< Statistics.
};

}  // namespace edgeprobe::diagnose
