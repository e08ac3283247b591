// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "model/attributes.h"
#include "model/graph.h"
#include "stretch/flow.h"

namespace edgeprobe::stretch {

/// A model examined for splits, with the attributes of each operator.
struct SplitSubject {
  const model::Graph& graph;
  Flow flow;
  std::vector<model::Attributes> attributes;  ///< Indexed by layer.
  /// By tensor: reading layers, ascending, without duplicates.
  std::vector<std::vector<int>> readers;
  std::vector<std::string> texts;  ///< tensor_texts().
  /// By tensor: the DequantizeLinear that makes it from constants, as of int8 weights; -1: none.
  std::vector<int> unpacked_by;
  /// By tensor: true inside of an operator that engines compute with integers, between its
  /// DequantizeLinear and its QuantizeLinear.
  std::vector<bool> within;

  const model::Layer& layer(int index) const;
  const model::ModelTensor& tensor(int index) const;
  bool is_constant(int tensor) const { return tensor >= 0 && this->tensor(tensor).is_constant; }
  /// True for a constant, and for one that a DequantizeLinear unpacks.
  bool is_stored(int tensor) const;
  /// The constant that holds the values of a stored tensor.
  const model::ModelTensor& values(int tensor) const;
  /// An attribute of a layer, or `absent` if the node omits it.
  std::int64_t whole(int layer, const char* name, std::int64_t absent) const;
  std::vector<std::int64_t> wholes(int layer, const char* name,
                                   std::vector<std::int64_t> absent) const;
  std::string text(int layer, const char* name, const char* absent) const;
};

/// Errors of flow_of() and attributes(); kUnsupported for a .tflite.
Result<SplitSubject> subject_of(const model::Graph& graph, ByteView file);

/// A dimension of a tensor; -1 if unknown or missing.
std::int64_t dimension(const model::ModelTensor& tensor, std::size_t axis);

/// "Conv 'block1/conv3'"
std::string layer_name(const SplitSubject& subject, int layer);

}  // namespace edgeprobe::stretch
