// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// A part of a graph that runs alone: some of its layers, what they are fed with and what they
/// answer.
struct Part {
  std::vector<int> layers;           ///< Indices into Graph::layers, ascending.
  std::vector<int> inputs, outputs;  ///< Tensor indices; inputs ascending, once each.
};

/// What computes `outputs` when every tensor `t` with fed[t] is given. Constants and variables are
/// never inputs; what is neither fed nor an input of the graph is computed, so that e.g. the
/// DEQUANTIZE of a stored half-precision weight, the DequantizeLinear before an ONNX convolution or
/// a sequence come along with what reads them. What bodies read of the main graph counts as read by
/// their layer. An output that no layer makes, unless it is a constant, is an input as well.
Part part_for(const Graph& graph, const std::vector<int>& outputs, const std::vector<bool>& fed);

/// One layer on its own inputs. Inputs that cannot be captured (capturable()) are computed.
Part one_op(const Graph& graph, int layer);
/// Everything behind `layer` (-1: the whole graph) that `outputs` need, fed with the live frontier:
/// with residual connections more than one tensor.
Part rest_after(const Graph& graph, int layer, const std::vector<int>& outputs);

/// The file with only this part of its main graph, as a file of its own; `file` is not changed. The
/// part is read back and compared before it is returned. kUsage for a part that does not fit the
/// graph, kUnsupported for one that would pass the formats' 2 GB, kCorrupt and kLimit as the
/// reader.
///
/// .tflite: tensors, weights and operator codes stay where they are: the list of operators is
/// shortened in place, the lists of inputs and outputs are appended, signatures are dropped.
/// Tensors keep their indices. kUnsupported for a file without one of the three lists, or with
/// overlapping tables.
///
/// .onnx: the bytes of all that stays are the file's own: nodes, initializers, value infos,
/// functions, operator sets, metadata, fields that are not known here. Constants that the part does
/// not need are gone, so that tensors have other indices and are found by position or name;
/// training information is gone, too. Inputs and outputs are declared as the file declares them or,
/// where more is known, with the type and shape of `graph`. Values in files beside the model stay
/// there, under the same relative path: an engine needs the part in the model's folder, or to be
/// told that folder. kUnsupported for an input whose type is open.
Result<Bytes> cut(const Graph& graph, ByteView file, const Part& part);

/// The same file, of which nothing that its layers do not use says anything: other tensors,
/// buffers, the metadata with its files, and the operators that were cut out of `before` are zeros,
/// which compress to almost nothing. Tensors keep their numbers; what is not used is told as a used
/// one. The file of a .onnx is left as it is: cut() keeps nothing that is not used. kUnsupported
/// where tables overlap or there are several graphs.
Result<Bytes> scrub(const Graph& graph, ByteView file, ByteView before);

}  // namespace edgeprobe::model
