// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/input/input_scale.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"
#include "diagnose/verdict/verdict.h"

namespace edgeprobe::diagnose {

/// Results of the pre-processing search, and the frames it examined.
struct InputEvidence {
  std::optional<InputDiagnosis> diagnosis;
  std::vector<std::string> without_raw;  ///< Sentences on the input if there is no raw input.
  /// Without a diagnosis: a hint about what would decide it.
  std::optional<Hint> undecided;
  /// The model input differs from the result of a guessed recipe, which is not a fault.
  bool against_guess = false;
  std::string app_recipe;  ///< In that case the app's own recipe, if it was found.
  /// "in 15 of 60 frames" if the other frames match the reference; else empty.
  std::string where;
  std::string place;      ///< Place of a difference without a named cause; else empty.
  bool is_shown = true;   ///< The page can show the inputs as pictures.
  std::string otherwise;  ///< Sentence on frames that differ in another way; else empty.
  /// Set if the codes of the target's input cannot hold the recipe's values.
  std::optional<InputScale> scale;
  /// Faults of frames without a picture, if other frames have another fault.
  std::vector<InputFault> empty;
  /// The target's frames for which the diagnosis does not hold, ascending.
  std::vector<std::uint32_t> not_with;
};
/// True if the nearest explanation reproduces the model input up to a small fraction of the
/// distance, a step or so.
bool is_nearly(const InputEvidence& input);

}  // namespace edgeprobe::diagnose
