// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/tokens/problem.h"

namespace edgeprobe::diagnose {

/// Inputs that the target's model received for recorded texts, or why they cannot be judged.
struct TextInputs {
  std::vector<tokens::Observation> observations;
  /// The reference's inputs by role, if the target recorded them.
  std::map<text::Role, std::string> names;
  std::string skipped;  ///< Reason if there are no observations.
  /// The target's frames, ascending, whose inputs differ from the reference's trace; `compared`
  /// counts the frames that both have.
  std::vector<std::uint32_t> unlike;
  std::size_t compared = 0;
};

/// At most 16 frames with a text and ids, each with the frame before it: evenly spread, half of
/// them over frames that differ from the reference's trace. Fails if a trace cannot be read, and
/// with kInterrupted.
Result<TextInputs> text_inputs(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
