// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compare/align/weighted.h"
#include "lint/finding.h"

namespace edgeprobe::lint {

/// A layer with weights, with its operands as stored in the file.
struct Weighted {
  const model::Layer* layer;
  int input, weights,
      bias;          ///< Tensors; -1 if absent, or if weights or bias are computed.
  int channel_axis;  ///< Of the weights; -1: not along one axis.
};
std::vector<Weighted> weighted_layers(const model::Graph& graph, ByteView file);

/// Rules for weights and biases.
Status lint_weights(const model::Graph& graph, ByteView file, const std::vector<Weighted>& weighted,
                    Findings& found);
/// Rules for scales between layers.
void lint_ranges(const model::Graph& graph, Findings& found);
void lint_types(const model::Graph& graph, Findings& found);

}  // namespace edgeprobe::lint
