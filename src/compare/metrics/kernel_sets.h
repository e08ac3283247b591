// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/metrics/kernel.h"

namespace edgeprobe::compare {

const Kernels& generic_kernels();
#if defined(__x86_64__)
const Kernels& avx2_kernels();    ///< Needs AVX2 and FMA.
const Kernels& avx512_kernels();  ///< Needs AVX-512 F, BW, DQ, VL.
#elif defined(__aarch64__)
const Kernels& neon_kernels();
#endif

}  // namespace edgeprobe::compare
