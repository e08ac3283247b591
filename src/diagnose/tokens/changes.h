// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/tokens/change.h"

namespace edgeprobe::diagnose::tokens {

/// True if changes of these parts exclude each other. Two changes of the text can follow each
/// other.
bool are_exclusive(Part a, Part b);

/// Changes of the ids for a front end that may already have some: from the list, and those that the
/// recording suggests. `said`: its encodings of the observations.
std::vector<Change> changes_of_ids(const Problem& problem, const FrontEnd& front_end,
                                   const std::vector<text::Encoding>& said);
/// Changes of one of the other inputs.
std::vector<Change> changes_of(text::Role role, const Problem& problem, const FrontEnd& front_end);

}  // namespace edgeprobe::diagnose::tokens
