// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnose/study.h"
#include "diagnose/tokens/problem.h"

namespace edgeprobe::diagnose {

/// Whether texts feed the reference: its recipe is one of text.
bool is_text(const Case& known);

/// What the target's model got of recorded texts, and why it cannot be judged.
struct TextInputs {
  std::vector<tokens::Observation> observations;
  /// The reference's inputs by their role, where the target recorded them.
  std::map<text::Role, std::string> names;
  std::string skipped;  ///< Why there are no observations.
};

/// At most 16 frames with a text and ids, evenly spread. Fails when a trace cannot be read.
Result<TextInputs> text_inputs(const Case& known);

}  // namespace edgeprobe::diagnose
