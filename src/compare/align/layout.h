// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "core/shape.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// All memory layouts of `target` that yield the dimensions of `reference`: unchanged (empty), or
/// with the channels moved. Several if dimensions are equal, as in 1x16x16x16. Empty list:
/// different tensors.
std::vector<std::vector<int>> layouts_of(const Shape& reference, const Shape& target);

/// True if transposing `target` by the permutation yields the dimensions of `reference` (-1 matches
/// any).
bool fits(const Shape& reference, const Shape& target, const std::vector<int>& permutation);

/// The values of `target` as float32, transposed by `permutation`, with the transposed shape. Fails
/// as to_float() does.
Result<Tensor> transposed(const TensorView& target, const std::vector<int>& permutation);

/// Up to 4096 of these values, as float32, in the transposed order (empty permutation: their own).
/// Scattered so that no whole row or channel is missed, and at the same places for tensors of equal
/// size. Empty if they cannot be read.
std::vector<float> scattered_values(const TensorView& tensor, const std::vector<int>& permutation);

/// The channel axis in the reference's layout: the last one, or the second if the permutation shows
/// that the reference is channels-first.
int channel_axis(const Shape& reference, const std::vector<int>& permutation);

}  // namespace edgeprobe::compare
