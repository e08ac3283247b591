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

/// One frame as evidence: the picture that went in, and the model input that the target recorded.
struct InputFrame {
  std::string sample;
  const preprocess::Image* raw = nullptr;
  TensorView target;  ///< Stored values, in the target's dtype and shape.
  /// The bytes that `raw` was read from, when they are at hand: other readings of them are tried.
  /// Borrowed.
  std::optional<preprocess::Source> source = std::nullopt;
};

/// One difference between the target's pre-processing and the reference's.
struct InputFault {
  CauseKind kind = CauseKind::kUnknown;   ///< One of pre-processing.
  std::string detail;                     ///< "the app feeds BGR; the reference feeds RGB".
  std::vector<std::string> alternatives;  ///< Names that these frames cannot tell from it.
  double contribution = 0;  ///< RMS residual in u8 steps when only this difference is reverted.
  std::string fix_step;     ///< The reference's step.
  bool near_only = false;   ///< It comes near without being exact: never confirmed.
  /// The target's recipe with this fault and all earlier ones repaired. It begins with decode(…)
  /// when the bytes are read otherwise than the reference reads them (target_recipe likewise).
  preprocess::Recipe without_it;
};

struct InputDiagnosis {
  enum class Status {
    kEqual,        ///< No difference, or one below what a decoder explains.
    kFound,        ///< The faults, applied to the raw images, reproduce the target's tensors.
    kPartial,      ///< Something differs; `faults` is the nearest explanation only.
    kUndecidable,  ///< No raw image, constant image, destroyed values, …: `reason`.
  } status = Status::kUndecidable;
  std::string reason;
  double residual_before =
      0;  ///< RMS distance of the target from the reference recipe, in 8-bit steps.
  /// What one 8-bit step is in real values, by the reference's recipe; 0: unknown.
  double gray_step = 0;
  double residual = 0;               ///< The same after the faults were applied to the reference.
  std::vector<InputFault> faults;    ///< By contribution, largest first.
  std::vector<InputFault> notes;     ///< Real, but too small to matter (rounding, decoder).
  preprocess::Recipe target_recipe;  ///< The target's recipe as reconstructed (kFound).
  /// No recipe makes what was recorded, and `target_recipe` and `without_it` are empty: the
  /// recorded inputs stand for the faults, the reference's for the repaired app.
  bool as_recorded = false;
  /// Then, where it was searched from pictures: gray steps between a frame's recorded input and
  /// what the faults make of its picture. Nothing when the frame cannot tell.
  std::function<std::optional<double>(const InputFrame&)> left;
  std::size_t frames_used = 0, frames_agreeing = 0;
  std::vector<Evidence> evidence;  ///< Statistics.
};

}  // namespace edgeprobe::diagnose
