// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/tokens/problem.h"

namespace edgeprobe::diagnose {

/// What the target's model got of recorded texts, and why it cannot be judged.
struct TextInputs {
  std::vector<tokens::Observation> observations;
  /// The reference's inputs by their role, where the target recorded them.
  std::map<text::Role, std::string> names;
  std::string skipped;  ///< Why there are no observations.
  /// The target's frames, ascending, in which the reference's trace has other inputs, of so many
  /// that both have.
  std::vector<std::uint32_t> unlike;
  std::size_t compared = 0;
};

/// At most 16 frames with a text and ids, each with the frame before it: evenly spread, half of
/// them over those that the reference's trace has otherwise. Fails when a trace cannot be read, and
/// with kInterrupted.
Result<TextInputs> text_inputs(const Study& study, const Control& control);

}  // namespace edgeprobe::diagnose
