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

/// One tensor of one side, as the alignment sees it.
struct Item {
  std::string name;  ///< May be a list of fused names: "conv/Relu;conv/BiasAdd;conv/Conv2D".
  std::string type;  ///< Of the operator that makes it: "CONV_2D"; empty when unknown.
  Shape shape;       ///< -1 fits any number.
  DType dtype = DType::kFloat32;
  trace::Stage stage = trace::Stage::kLayer;
  /// Execution order of layers, index of inputs and outputs; -1 unknown.
  std::int32_t position = -1;
  /// The one item that reads it, as far as the graph is known; -1: none, several or not known.
  std::int32_t read_by = -1;
};

std::vector<Item> items_of(const std::vector<trace::Channel>& channels);
/// Graph inputs, operator outputs in execution order, graph outputs (those are not repeated as
/// layers). Constants are no layers and do not appear. `tensors` receives the tensor index of each
/// item.
std::vector<Item> items_of(const model::Graph& graph, std::vector<int>& tensors);

enum class Match {
  kMapping,   ///< The caller said so.
  kGraph,     ///< The same place in both graphs, and the same weights where several have it.
  kName,      ///< Equal names.
  kNamePart,  ///< A part of a fused name.
  kOrder,     ///< Same operator type, in order.
  kShape,     ///< Type unknown on one side: same shape, in order.
  kValues,    ///< Another type, but the values correlate.
  kPosition,  ///< Inputs and outputs: same index, or the only ones of that shape.
};
const char* name(Match match);  ///< "mapping", "graph", "name", "name_part", "order", "shape",
                                ///< "values", "position".

struct AlignedPair {
  std::size_t reference = 0, target = 0;  ///< Indices into the items.
  Match how = Match::kName;
  /// Axis of the target that holds axis i of the reference (NHWC against NCHW); empty: same order
  /// in memory.
  std::vector<int> permutation;
};

/// Several operators on one side stand for one or several on the other (fusion). Their last outputs
/// are a pair when they can be compared; the others are not counted as unmatched.
struct AlignedGroup {
  std::vector<std::size_t> reference, target;
};

struct Alignment {
  std::vector<AlignedPair> pairs;  ///< In the order of the reference's items.
  std::vector<AlignedGroup> groups;
  std::vector<std::size_t> unmatched_reference, unmatched_target;
  /// QUANTIZE and DEQUANTIZE layers without partner, and between two formats transposes and
  /// reshapes: form, not content.
  std::vector<std::size_t> conversions_reference, conversions_target;

  /// Share of the reference's items that are compared or part of a group; conversions aside. 1 for
  /// no items.
  double coverage() const;
};

struct AlignOptions {
  /// Names that belong together, reference first.
  std::vector<std::pair<std::string, std::string>> mapping;
  /// Items that belong together as the graphs and the weights of both sides say, reference first:
  /// asked where names say nothing, or before them.
  std::vector<std::pair<std::size_t, std::size_t>> by_graph;
  bool graph_before_names = false;
  /// Correlation of the values of two items (target brought into the reference's layout), when
  /// values are at hand. Asked only for neighbours of another type, for several of one type and
  /// shape, and between two formats, that have the same number of elements.
  std::function<std::optional<double>(std::size_t reference, std::size_t target,
                                      const std::vector<int>& permutation)>
      correlation;
};

/// Pairs up the tensors of two runs of one model: by the caller's mapping, by equal name, by part
/// of a fused name, by their place in the graph, by operator type in execution order, by shape in
/// order, by values. Shapes must
/// agree in full: as they are, without dimensions of 1, or with the channels moved; nothing is ever
/// cut to fit. Two formats (ONNX against TFLite: no operator type in common, but kinds of
/// op_kind()) are paired by values where they are at hand, because one has activations, paddings
/// and transposes as layers of their own which the other holds inside. Stopped, it returns what is
/// paired so far, of no use but to end soon.
Alignment align(const std::vector<Item>& reference, const std::vector<Item>& target,
                const AlignOptions& options = {}, const Control& control = {});

/// How to bring `target` into the layout of `reference`: empty when the order in memory is the
/// same; nothing when they are not the same tensor.
std::optional<std::vector<int>> layout_of(const Shape& reference, const Shape& target);

}  // namespace edgeprobe::compare
