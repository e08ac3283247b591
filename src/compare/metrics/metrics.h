// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compare/metrics/moments.h"
#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// Adds one pair of tensors of equal element count: values are dequantised on the fly with each
/// side's own parameters (per tensor or per channel), as float32. Codes of 8 bits with the same
/// parameters on both sides are compared exactly: d is the scale times the difference of the codes.
/// kUsage when counts differ, kUnsupported for dtypes without numbers.
Status accumulate(const TensorView& reference, const TensorView& target, Moments& total);

/// The same, and what each index of `axis` of the reference's shape (usually the last: channels of
/// NHWC) adds to the sum of squared differences. `channel_sq_d` is empty at the first call, or what
/// an earlier call of as many channels left.
Status accumulate(const TensorView& reference, const TensorView& target, int axis, Moments& total,
                  std::vector<double>& channel_sq_d);

}  // namespace edgeprobe::compare
