// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/control.h"
#include "core/tensor.h"
#include "model/graph.h"
#include "trace/channel.h"

namespace edgeprobe::compare {

/// One tensor of one side, as input of the alignment.
struct Item {
  std::string name;  ///< May list fused names: "conv/Relu;conv/BiasAdd;conv/Conv2D".
  std::string type;  ///< Type of the operator that makes it: "CONV_2D"; empty if unknown.
  Shape shape;       ///< -1 matches any size.
  DType dtype = DType::kFloat32;
  trace::Stage stage = trace::Stage::kLayer;
  /// Execution order of layers, index of inputs and outputs; -1: unknown.
  std::int32_t position = -1;
  /// The only item that reads it, if the graph is known; -1: none, several, or unknown.
  std::int32_t read_by = -1;
};

std::vector<Item> items_of(const std::vector<trace::Channel>& channels);
/// Graph inputs, operator outputs in execution order, and graph outputs (not repeated as layers).
/// Excludes constants. `tensors` receives the tensor index of each item.
std::vector<Item> items_of(const model::Graph& graph, std::vector<int>& tensors);

enum class Match {
  kMapping,   ///< Mapped by the caller.
  kGraph,     ///< Same place in both graphs; among several, the same weights.
  kName,      ///< Equal names.
  kNamePart,  ///< Part of a fused name.
  kOrder,     ///< Same operator type, in order.
  kShape,     ///< Type unknown on one side: same shape, in order.
  kValues,    ///< Different type, but correlated values.
  kPosition,  ///< Inputs and outputs: same index, or the only ones of their shape.
};
const char* name(Match match);  ///< "mapping", "graph", "name", "name_part", "order", "shape",
                                ///< "values", "position".

struct AlignedPair {
  std::size_t reference = 0, target = 0;  ///< Indices into the items.
  Match how = Match::kName;
  /// For each axis of the reference, the target's axis (NHWC against NCHW); empty: same order in
  /// memory.
  std::vector<int> permutation;
};

/// Several operators on one side correspond to one or several on the other (fusion). Their last
/// outputs form a pair if they can be compared; the others do not count as unmatched.
struct AlignedGroup {
  std::vector<std::size_t> reference, target;
};

struct Alignment {
  std::vector<AlignedPair> pairs;  ///< Sorted by the reference's items.
  std::vector<AlignedGroup> groups;
  std::vector<std::size_t> unmatched_reference, unmatched_target;
  /// QUANTIZE and DEQUANTIZE layers without a partner, and transposes and reshapes between two
  /// formats: they do not change content.
  std::vector<std::size_t> conversions_reference, conversions_target;

  /// Fraction of the reference's items that are compared or in a group, excluding conversions. 1
  /// without items.
  double coverage() const;
};

struct AlignOptions {
  /// Pairs of names, reference first.
  std::vector<std::pair<std::string, std::string>> mapping;
  /// Pairs of items according to the graphs and weights of both sides, reference first: used if
  /// names do not help, or before them.
  std::vector<std::pair<std::size_t, std::size_t>> by_graph;
  bool graph_before_names = false;
  /// True if the sides come from files of two formats; unset: their operators' types say so.
  std::optional<bool> two_formats;
  /// Correlation of two items' values (the target in the reference's layout), if values are
  /// available. Only called for items with the same number of elements: neighbours of different
  /// types, several items of one type and shape, and items of two formats.
  std::function<std::optional<double>(std::size_t reference, std::size_t target,
                                      const std::vector<int>& permutation)>
      correlation;
};

/// Pairs the tensors of two runs of one model: by the caller's mapping, equal name, part of a fused
/// name, place in the graph, operator type in execution order, shape in order, or values. Shapes
/// must match completely: unchanged, without dimensions of 1, or with the channels moved. Two
/// formats (ONNX against TFLite: no operator type in common, but kinds of op_kind()) are paired by
/// values if available, since one has separate activations, paddings and transposes that the other
/// fuses. If stopped, returns the pairs so far, which are incomplete.
Alignment align(const std::vector<Item>& reference, const std::vector<Item>& target,
                const AlignOptions& options = {}, const Control& control = {});

/// Permutation that converts `target` into the layout of `reference`: empty if the order in memory
/// is the same; nothing if they are different tensors.
std::optional<std::vector<int>> layout_of(const Shape& reference, const Shape& target);

}  // namespace edgeprobe::compare
