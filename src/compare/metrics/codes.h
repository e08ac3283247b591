// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/metrics/kernel.h"
#include "compare/metrics/moments.h"

namespace edgeprobe::compare {

/// True when both sides hold 8-bit codes of one type and quantisation, so that their differences
/// are whole codes.
bool same_codes(const Operand& r, const Operand& t);
/// Adds a later block of the same tensor.
void add(CodeSums& into, const CodeSums& block);
/// Moments of these sums, exact until scaled; without max_index.
Moments moments_of(const CodeSums& sums, const Operand& codes);

}  // namespace edgeprobe::compare
