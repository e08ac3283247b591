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

/// What the pre-processing search found, and the frames that it looked at.
struct InputEvidence {
  std::optional<InputDiagnosis> diagnosis;
  std::vector<std::string> without_raw;  ///< What can be said when there is no raw input.
  std::optional<Hint> undecided;         ///< When there is no diagnosis: what would decide it.
  /// The model input differs from what a guessed recipe makes: that is no fault.
  bool against_guess = false;
  std::string app_recipe;  ///< With that: what the app does, when it was found.
  /// "in 15 of 60 frames" when the rest is fed as the reference feeds it; else empty.
  std::string where;
  std::string place;      ///< Where a difference without a name lies; else empty.
  bool is_shown = true;   ///< A page shows the inputs as pictures.
  std::string otherwise;  ///< Of frames in which something else differs; else empty.
  /// When the codes of the target's input cannot hold what the recipe makes.
  std::optional<InputScale> scale;
  /// Of frames in which nothing of the picture arrives, when others have another fault.
  std::vector<InputFault> empty;
  /// The target's frames that the diagnosis does not hold for, ascending.
  std::vector<std::uint32_t> not_with;
};
/// Whether the nearest explanation reproduces the model input but for a step or so of many.
bool is_nearly(const InputEvidence& input);

}  // namespace edgeprobe::diagnose
