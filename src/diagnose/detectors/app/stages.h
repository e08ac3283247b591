// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/examination/detector.h"

namespace edgeprobe::diagnose {

/// A step of the pre-processing that both traces hold under one name; the model input is the last.
struct StageDrift {
  std::string name;  ///< Untrusted text; empty for the model input.
  std::uint64_t frames = 0;
  compare::Distances distances;
  std::uint64_t unlike = 0;            ///< Frames whose shapes cannot be compared.
  std::string shape, reference_shape;  ///< In the first of them: "64x64x3", "48x48x3".
  bool is_model_input = false;
  /// kRounding: by less than one step of 255 (RMS, of the range that the reference has).
  enum class State { kEqual, kRounding, kDiffers } state = State::kEqual;
};

/// In the reference's order; empty when no model input was compared. Fails when a trace cannot be
/// read.
Result<std::vector<StageDrift>> stages_of(const Study& study);
/// The first that differs by more than rounding, or nothing.
std::optional<std::size_t> first_difference(const std::vector<StageDrift>& stages);

/// The first stage that differs: as evidence of what the search confirmed, else as a cause of its
/// own. That one is confirmed when the reference's model gives the target's answers on the recorded
/// inputs, or when the target's own model answers otherwise on the reference's inputs. Nothing when
/// no stage is named on both sides and the reference's pre-processing has a recipe.
Result<Findings> find_stages(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
