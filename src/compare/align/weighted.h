// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "model/dynamic_quantization.h"
#include "model/graph.h"

namespace edgeprobe::compare {

/// Input slots of an operator's weights and bias.
struct Slots {
  std::size_t weights, bias;
  int channel_axis;  ///< The axis of the weights that counts channels.
};
/// Slots of an operator by Layer::type; nothing for operators without weights.
std::optional<Slots> slots_of(const std::string& type);
/// Float form of an integer operator: "Conv" for QLinearConv; else `type`.
std::string_view in_real_numbers(std::string_view type);
/// Slots of a layer's tensors in the order of its float form, without scales and zero points.
std::vector<std::size_t> tensor_slots(const model::Layer& layer);

/// A model's graph with access to its operators with stored weights. Borrows both arguments.
class WeightedGraph {
 public:
  WeightedGraph(const model::Graph& graph, ByteView file);

  const model::Graph& graph;
  const ByteView file;

  /// Null for an absent input.
  const model::ModelTensor* at(int tensor) const;
  /// The layer that makes a tensor; null for inputs and constants.
  const model::Layer* maker(int tensor) const;
  /// The constant in an operator's slot, also through conversions; -1 if it is computed.
  int constant_in(const model::Layer& layer, std::size_t slot) const;
  /// The constant bias in the operator's slot or, if dynamically quantised, in the following sum;
  /// -1: none.
  int bias_of(const model::Layer& layer) const;
  /// The operator with weights whose last part is this layer; the layer itself if it is a whole
  /// operator.
  const model::Layer& operator_of(const model::Layer& layer) const;
  /// Following batch norms, products and sums with constants: a converter may fold them into its
  /// weights and bias.
  std::vector<const model::Layer*> scales_behind(const model::Layer& layer) const;
  bool is_weighted(const model::Layer& layer) const;
  const std::vector<model::DynamicOperator>& dynamic_operators() const { return dynamic_; }

 private:
  // The only reader of the layer's result, after conversions; null if there are several.
  const model::Layer* next(const model::Layer& layer) const;

  // Null if it is not dynamically quantised.
  const model::DynamicOperator* dynamic(const model::Layer& layer) const;

  std::vector<model::DynamicOperator> dynamic_;
  std::map<int, int> maker_;
  std::map<int, std::vector<int>> readers_;
};

/// The only one of these layers with weights; null if there are none or several.
const model::Layer* weighted_in(const WeightedGraph& side, const std::vector<int>& layers);

}  // namespace edgeprobe::compare
