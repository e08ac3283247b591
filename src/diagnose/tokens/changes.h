// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "diagnose/tokens/change.h"

namespace edgeprobe::diagnose::tokens {

/// Whether changes of these parts cannot go together. Two of the text can: one follows the other.
bool are_exclusive(Part a, Part b);

/// Changes of the ids under a front end that already has some, those of the list and those that the
/// recording suggests. `said`: what it makes of the observations.
std::vector<Change> changes_of_ids(const Problem& problem, const FrontEnd& front_end,
                                   const std::vector<text::Encoding>& said);
/// Changes of one of the other inputs.
std::vector<Change> changes_of(text::Role role, const Problem& problem, const FrontEnd& front_end);

}  // namespace edgeprobe::diagnose::tokens
