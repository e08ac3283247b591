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

/// Where an operator keeps weights and bias.
struct Slots {
  std::size_t weights, bias;
  int channel_axis;  ///< Of the weights.
};
/// Nothing for operators that have none; by Layer::type.
std::optional<Slots> slots_of(const std::string& type);
/// The operator that another one is the integer form of: "Conv" of a QLinearConv; else `type`.
std::string_view in_real_numbers(std::string_view type);
/// The slots of a layer's tensors in the order of the operator in real numbers: without those of
/// scales and zero points.
std::vector<std::size_t> tensor_slots(const model::Layer& layer);

/// A model's graph, asked for its operators with stored weights. Both arguments are borrowed.
class WeightedGraph {
 public:
  WeightedGraph(const model::Graph& graph, ByteView file);

  const model::Graph& graph;
  const ByteView file;

  /// Null for an absent input.
  const model::ModelTensor* at(int tensor) const;
  /// The layer that makes a tensor; null for inputs and constants.
  const model::Layer* maker(int tensor) const;
  /// The constant in a slot of an operator, or the one behind the conversions in front of it; -1
  /// when it is computed.
  int constant_in(const model::Layer& layer, std::size_t slot) const;
  /// The constant bias, in the operator's own slot or, of one that is quantised while it runs, in
  /// the sum behind it; -1: none.
  int bias_of(const model::Layer& layer) const;
  /// The operator with weights of which this layer is the last part; the layer itself of all that
  /// are whole.
  const model::Layer& operator_of(const model::Layer& layer) const;
  /// Batch norms, products and sums with constants that stand behind it: a converter may put them
  /// into its weights and its bias.
  std::vector<const model::Layer*> scales_behind(const model::Layer& layer) const;
  bool is_weighted(const model::Layer& layer) const;
  const std::vector<model::DynamicOperator>& dynamic_operators() const { return dynamic_; }

 private:
  // All that reads what the layer makes, behind conversions; null when several layers do.
  const model::Layer* next(const model::Layer& layer) const;

  // Null: it is not quantised while it runs.
  const model::DynamicOperator* dynamic(const model::Layer& layer) const;

  std::vector<model::DynamicOperator> dynamic_;
  std::map<int, int> maker_;
  std::map<int, std::vector<int>> readers_;
};

/// The one of these layers that has weights; null when there are none or several.
const model::Layer* weighted_in(const WeightedGraph& side, const std::vector<int>& layers);

}  // namespace edgeprobe::compare
