#pragma once

#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// A part of a graph that runs alone: some of its layers, what they are fed with and what they answer.
struct Part {
  std::vector<int> layers;           ///< Indices into Graph::layers, ascending.
  std::vector<int> inputs, outputs;  ///< Tensor indices; inputs ascending, once each.
};

/// What computes `outputs` when every tensor `t` with fed[t] is given. Constants and variables are never inputs; what is
/// neither fed nor an input of the graph is computed, so that e.g. the DEQUANTIZE of a stored half-precision weight
/// comes along with its convolution.
Part part_for(const Graph& graph, const std::vector<int>& outputs, const std::vector<bool>& fed);

/// One layer on its own inputs. Inputs that cannot be captured (capturable()) are computed.
Part one_op(const Graph& graph, int layer);
/// Everything behind `layer` (-1: the whole graph) that `outputs` need, fed with the live frontier: with residual
/// connections more than one tensor.
Part rest_after(const Graph& graph, int layer, const std::vector<int>& outputs);

/// The file with only this part of its main graph. Tensors, weights and operator codes stay where they are: the list of
/// operators is shortened in place, the lists of inputs and outputs are appended, signatures are dropped. The copy is
/// read back and compared before it is returned. kUsage for a part that does not fit the graph, kUnsupported for a
/// file without one of the three lists, with overlapping tables, or that would pass 2 GB.
Result<Bytes> cut(const Graph& graph, ByteView file, const Part& part);

}  // namespace edgeprobe::model
