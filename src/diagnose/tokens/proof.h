// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnose/tokens/explanation.h"

namespace edgeprobe::diagnose::tokens {

/// How much speaks for each change of an explanation: the ids that it alone puts, takes away or
/// exchanges, each worth log2 of the vocabulary and of its place, and one bit for each value of
/// another input; less what was read off the recording. Proven above the choice among all changes
/// and 8 bits more (decisions 167 and 187 in docs/decisions/).
void prove(Problem& problem, const std::vector<std::size_t>& of, std::size_t proposed,
           Explanation& explanation);

/// A text, in words, of which two front ends make different inputs; empty: none is known.
std::string text_that_decides(Problem& problem, const FrontEnd& a, const FrontEnd& b);

}  // namespace edgeprobe::diagnose::tokens
