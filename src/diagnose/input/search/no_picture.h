// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/input/input_evidence.h"

namespace edgeprobe::diagnose {

/// Recorded model inputs that cannot hold a picture: constant or non-finite, although the
/// reference's input of the same frame is neither.
struct NoPicture {
  std::vector<std::uint32_t> frames;  ///< The target's frames, ascending.
  std::size_t all = 0;                ///< Number of frames with a model input in both traces.
  /// "empty_input", "non_finite_input"; the detail of each counts the frames.
  std::vector<InputFault> faults;
  /// RMS distance of the constant inputs from the reference's, in 255ths of its range.
  double residual = 0;

  bool everywhere() const { return all > 0 && frames.size() == all; }
  bool holds(std::uint32_t frame) const;
};
Result<NoPicture> no_picture(const Study& study, const Control& control);

/// Adds to constant pictures the value ranges that codes cut off to this constant. At the upper end
/// of the codes, such a range becomes the fault itself: no empty buffer holds that value.
Status explain_constant(const Study& study, const Control& control, NoPicture& found);

/// Only the causes "nothing of the picture arrives" and "the app feeds NaN", over all frames that
/// both traces hold. `not_with` lists the frames without them.
InputEvidence evidence_of(const NoPicture& found, const Study& study);

}  // namespace edgeprobe::diagnose
