// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnose/tokens/explanation.h"

namespace edgeprobe::diagnose::tokens {

/// Evidence for each change of an explanation: the ids that only it inserts, removes or replaces,
/// each worth log2 of the vocabulary and of its position, and one bit for each value of another
/// input, minus values read off the recording. Proven if that exceeds the choice among all changes
/// by 8 bits (decisions 167 and 187 in docs/decisions/).
void prove(Problem& problem, const std::vector<std::size_t>& of, std::size_t proposed,
           Explanation& explanation);

/// A text for which two front ends produce different inputs, in words; empty if none is known.
std::string text_that_decides(Problem& problem, const FrontEnd& a, const FrontEnd& b);

}  // namespace edgeprobe::diagnose::tokens
