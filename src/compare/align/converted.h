// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/align/weighted.h"
#include "core/result.h"
#include "core/tensor.h"

/// Weights of one operator in two formats: .tflite has a filter's channels after its height and
/// width, ONNX before them.
namespace edgeprobe::compare {

/// For each axis of `to`'s weights, the axis of `from`'s; empty if both have the same order.
/// Nothing unless they are known to be the same operator with matching weights.
std::optional<std::vector<int>> weights_order(const WeightedGraph& from, const model::Layer& of,
                                              const WeightedGraph& to, const model::Layer& as);

/// Weights and bias of one layer converted for another, as real numbers keyed by the latter's
/// tensors. Nothing if the other layer cannot hold them. Fails if a constant is damaged.
Result<std::optional<std::map<int, std::vector<float>>>> converted_constants(
    const WeightedGraph& from, const model::Layer& of, const WeightedGraph& to,
    const model::Layer& as);

}  // namespace edgeprobe::compare
