// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "core/tensor.h"

/// Values of one tensor in two memory orders: one format has the channels before height and width,
/// the other after them. A permutation contains, for each axis of the reference's tensor, the axis
/// of the target's; empty: both have the same order.
namespace edgeprobe::layers {

Shape shape_in_target(const Shape& reference, const std::vector<int>& permutation);
Shape shape_in_reference(const Shape& target, const std::vector<int>& permutation);

/// `shape` is the reference's.
Result<std::vector<float>> in_target_order(std::vector<float> reference, const Shape& shape,
                                           const std::vector<int>& permutation);
/// `shape` is the reference's here too.
Result<std::vector<float>> in_reference_order(std::vector<float> target, const Shape& shape,
                                              const std::vector<int>& permutation);

/// Like stored_as(), between tensors of two runs, but integers that are not codes (indices, shapes,
/// masks) are unchanged. Also kUnsupported if one of them is not an integer.
Result<Tensor> handed_on(const TensorSpec& spec, const Shape& shape,
                         const std::vector<float>& values);

}  // namespace edgeprobe::layers
