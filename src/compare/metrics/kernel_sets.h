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

/// The fastest set that this processor runs, or the one chosen below.
const Kernels& kernels();
/// From now on kernels() is this set: for benchmarks of what another processor would run.
void use_kernels(const Kernels& set);
/// Every set that this processor runs, slowest first: "generic", then "avx2" and "avx512", or
/// "neon".
std::vector<const Kernels*> available_kernels();

}  // namespace edgeprobe::compare
