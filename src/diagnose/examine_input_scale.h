// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/causes.h"

namespace edgeprobe::diagnose {

/// Judged in real values: a comparison in codes cuts the reference's values off as well. Nothing
/// while the codes lose no more than another decoder does, when the input is no integer, or when a
/// trace holds no input. `gray_step`: what one step of 255 is in real values; 0: unknown.
Result<std::optional<InputScale>> examine_input_scale(const Study& study, double gray_step,
                                                      const Control& control);

/// The reference's model on its own recorded inputs, stored as those codes and read back. Empty
/// when it cannot be run.
Result<Answers> reference_through(const InputScale& scale, const Study& study,
                                  const std::vector<std::uint32_t>& frames, const Control& control);

/// Confirmed when the reference's model, fed through those codes, comes closer to the target's
/// answers; a note when nothing is off; partial when that cannot be tried, or when nobody said
/// which recipe the reference has.
Cause input_scale_cause(const InputScale& scale, const Study& study, const Replays& replays,
                        double floor);

}  // namespace edgeprobe::diagnose
