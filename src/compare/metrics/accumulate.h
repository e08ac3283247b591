// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compare/metrics/kernel.h"
#include "compare/metrics/kind_counts.h"
#include "compare/metrics/moments.h"
#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// accumulate() with a given instruction set, for tests and the benchmark.
Status accumulate_with(const Kernels& set, const TensorView& reference, const TensorView& target,
                       Moments& total, PairKinds* kinds = nullptr);
Status accumulate_with(const Kernels& set, const TensorView& reference, const TensorView& target,
                       int axis, Moments& total, std::vector<double>& channel_sq_d,
                       PairKinds* kinds = nullptr);

}  // namespace edgeprobe::compare
