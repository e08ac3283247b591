// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compare/metrics/kind_counts.h"
#include "compare/metrics/moments.h"
#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// Adds a pair of tensors with equal element count. Dequantises values on the fly to float32 with
/// each side's own parameters (per tensor or per channel). 8-bit codes with the same parameters on
/// both sides are compared exactly: d is the scale times the difference of the codes. kUsage if the
/// counts differ, kUnsupported for non-numeric dtypes. `kinds`, unless null, also counts the kinds
/// of all values, while they are in the cache.
Status accumulate(const TensorView& reference, const TensorView& target, Moments& total,
                  PairKinds* kinds = nullptr);

/// The same, and the contribution of each index of `axis` in the reference's shape (usually the
/// last: channels of NHWC) to the sum of squared differences. `channel_sq_d` is empty in the first
/// call, or holds the result of an earlier call with the same number of channels.
Status accumulate(const TensorView& reference, const TensorView& target, int axis, Moments& total,
                  std::vector<double>& channel_sq_d, PairKinds* kinds = nullptr);

}  // namespace edgeprobe::compare
