// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnose/case.h"
#include "diagnose/verdict/verdict.h"
#include "layers/analysis.h"

namespace edgeprobe::diagnose {

/// How far the worst layer of a faulty kernel is off, relative to its output; infinite where it
/// makes NaN.
double loudness(const layers::Analysis& analysis, const layers::KernelFault& fault);

/// A kernel that miscomputes: where, by how much, and what its repair takes away.
Cause kernel_cause(const Case& known, const layers::Analysis& analysis,
                   const layers::KernelFault& fault);

}  // namespace edgeprobe::diagnose
