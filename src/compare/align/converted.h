// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/align/weighted.h"
#include "core/result.h"
#include "core/tensor.h"

/// Weights of one operator in two formats: .tflite keeps the channels of a filter behind its height
/// and width, ONNX in front of them.
namespace edgeprobe::compare {

/// The axis of `from`'s weights that holds each axis of `to`'s; empty where both keep them alike.
/// Nothing for operators that are not known to be the same one, or whose weights do not fit.
std::optional<std::vector<int>> weights_order(const WeightedGraph& from, const model::Layer& of,
                                              const WeightedGraph& to, const model::Layer& as);

/// The weights and the bias of one layer as those of another, in real numbers, by the latter's
/// tensors. Nothing when the other has no place for them. Fails when a constant is damaged.
Result<std::optional<std::map<int, std::vector<float>>>> converted_constants(
    const WeightedGraph& from, const model::Layer& of, const WeightedGraph& to,
    const model::Layer& as);

}  // namespace edgeprobe::compare
