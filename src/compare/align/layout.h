// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/result.h"
#include "core/shape.h"
#include "core/tensor.h"

namespace edgeprobe::compare {

/// Every way in which `target` may lie in memory so that it has the dimensions of `reference`: as
/// it is (empty), or with the channels moved. More than one where the dimensions are alike, as in
/// 1x16x16x16. Empty list: not the same tensor.
std::vector<std::vector<int>> layouts_of(const Shape& reference, const Shape& target);

/// True when transposing `target` by the permutation gives the dimensions of `reference` (-1 fits
/// any).
bool fits(const Shape& reference, const Shape& target, const std::vector<int>& permutation);

/// The values of `target` as float32 in the order transposed by `permutation`; its shape is
/// transposed likewise. Fails as to_float() does.
Result<Tensor> transposed(const TensorView& target, const std::vector<int>& permutation);

/// Up to 4096 of these values, as float32, the order of an empty permutation being their own:
/// scattered, so that no row or channel is passed over as a whole, and alike for two tensors of one
/// size. Empty where they cannot be read.
std::vector<float> scattered_values(const TensorView& tensor, const std::vector<int>& permutation);

/// The axis of the channels in the reference's layout: the last one, or the second when the
/// permutation shows that the reference is channels-first.
int channel_axis(const Shape& reference, const std::vector<int>& permutation);

}  // namespace edgeprobe::compare
