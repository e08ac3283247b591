// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compare/metrics/kernel.h"

namespace edgeprobe::compare {

const Kernels& generic_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();    ///< Needs AVX2 and FMA.
const Kernels& avx512_kernels();  ///< Needs AVX-512 F, BW, DQ, VL.
#elif defined(__aarch64__)
const Kernels& neon_kernels();
#endif

/// The fastest set that this processor supports, or the one set by use_kernels().
const Kernels& kernels();
/// Makes kernels() return this set: to benchmark the code of another processor.
void use_kernels(const Kernels& set);
/// All sets that this processor supports, slowest first: "generic", then "avx2" and "avx512", or
/// "neon".
std::vector<const Kernels*> available_kernels();

}  // namespace edgeprobe::compare
