// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// A pre-processing step with the same name in both traces; the model input is the last.
struct StageDrift {
  std::string name;  ///< Untrusted text; empty for the model input.
  std::uint64_t frames = 0;
  compare::Distances distances;
  std::uint64_t unlike = 0;  ///< Number of frames whose shapes do not match.
  /// Shapes in the first of these frames: "64x64x3", "48x48x3".
  std::string shape, reference_shape;
  bool is_model_input = false;
  /// kRounding: differs by less than 1/255 of the reference's range (RMS).
  enum class State { kEqual, kRounding, kDiffers } state = State::kEqual;
};

/// In the reference's order; empty if no model input was compared. Fails if a trace cannot be read.
Result<std::vector<StageDrift>> stages_of(const Study& study);
/// Index of the first stage that differs by more than rounding; nothing if there is none.
std::optional<std::size_t> first_difference(const std::vector<StageDrift>& stages);

/// Reports the first stage that differs: as evidence for the cause that the search confirmed, else
/// as a cause. That cause is confirmed if the reference's model gives the target's answers on the
/// recorded inputs, or the target's own model answers differently on the reference's inputs.
/// Nothing if no stage has the same name on both sides and the reference's pre-processing has a
/// recipe.
Result<Findings> find_stages(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
