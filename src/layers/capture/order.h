// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "core/tensor.h"

/// Values of one tensor in two memory orders: one format has the channels in front of height and
/// width, the other behind them. A permutation gives, for each axis of the reference's tensor, the
/// axis of the target's; empty: both lie alike.
namespace edgeprobe::layers {

Shape shape_in_target(const Shape& reference, const std::vector<int>& permutation);
Shape shape_in_reference(const Shape& target, const std::vector<int>& permutation);

/// `shape` is the reference's.
Result<std::vector<float>> in_target_order(std::vector<float> reference, const Shape& shape,
                                           const std::vector<int>& permutation);
/// `shape` is the reference's as well.
Result<std::vector<float>> in_reference_order(std::vector<float> target, const Shape& shape,
                                              const std::vector<int>& permutation);

/// As stored_as(), between tensors of two runs: whole numbers that are no codes (indices, shapes,
/// masks) stay what they are. kUnsupported also where one of them is no whole number.
Result<Tensor> handed_on(const TensorSpec& spec, const Shape& shape,
                         const std::vector<float>& values);

}  // namespace edgeprobe::layers
