#pragma once

#include <vector>

#include "compare/kernel.h"
#include "compare/metrics.h"

namespace edgeprobe::compare {

/// accumulate() and accumulate_channels() with a chosen instruction set: for tests and the benchmark.
Status accumulate_with(const Kernels& set, const TensorView& reference, const TensorView& target, Moments& total);
Status accumulate_channels_with(const Kernels& set, const TensorView& reference, const TensorView& target, int axis,
                                std::vector<Moments>& channels);

/// Moments::merge for pairs that interleave: of equally large differences the lower index is kept.
void merge_interleaved(Moments& into, const Moments& other);

}  // namespace edgeprobe::compare
