// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compare/align/weighted.h"
#include "lint/finding.h"

namespace edgeprobe::lint {

/// A layer with weights, its operands as the file stores them.
struct Weighted {
  const model::Layer* layer;
  int input, weights,
      bias;          ///< Tensors; -1 for none, and for weights and a bias that are computed.
  int channel_axis;  ///< Of the weights; -1: not along one axis.
};
std::vector<Weighted> weighted_layers(const model::Graph& graph, ByteView file);

/// Rules of weights and biases.
Status lint_weights(const model::Graph& graph, ByteView file, const std::vector<Weighted>& weighted,
                    Findings& found);
/// Rules of scales between layers.
void lint_ranges(const model::Graph& graph, Findings& found);
void lint_types(const model::Graph& graph, Findings& found);

}  // namespace edgeprobe::lint
