// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// A part of a graph that can run by itself: some of its layers, with inputs and outputs.
struct Part {
  std::vector<int> layers;           ///< Indices into Graph::layers, ascending.
  std::vector<int> inputs, outputs;  ///< Tensor indices; inputs ascending and unique.
};

/// The layers that compute `outputs` if every tensor `t` with fed[t] is given. Constants and
/// variables are never inputs; tensors that are neither fed nor graph inputs are computed, so that
/// e.g. the DEQUANTIZE of a stored half-precision weight, the DequantizeLinear before an ONNX
/// convolution or a sequence is included with its readers. Tensors that bodies read from the main
/// graph count as read by their layer. An output that no layer computes is also an input, unless it
/// is a constant.
Part part_for(const Graph& graph, const std::vector<int>& outputs, const std::vector<bool>& fed);

/// One layer with its own inputs. Inputs that cannot be captured (capturable()) are computed.
Part one_op(const Graph& graph, int layer);
/// Everything after `layer` (-1: the whole graph) that `outputs` need, fed with the tensors that
/// are live at that point; residual connections make several.
Part rest_after(const Graph& graph, int layer, const std::vector<int>& outputs);

/// A new file with only this part of the main graph; `file` is not changed. The part is read back
/// and compared before it is returned. kUsage for a part that does not match the graph,
/// kUnsupported for one that would exceed the formats' 2 GB, kCorrupt and kLimit like the reader.
///
/// .tflite: tensors, weights and operator codes stay in place: the list of operators is shortened
/// in place, the lists of inputs and outputs are appended, signatures are dropped. Tensors keep
/// their indices. kUnsupported for a file without one of the three lists, or with overlapping
/// tables.
///
/// .onnx: everything that remains has the file's own bytes: nodes, initializers, value infos,
/// functions, operator sets, metadata, unknown fields. Constants that the part does not need are
/// removed, so tensors have other indices and must be found by position or name; training
/// information is also removed. Inputs and outputs are declared as in the file or, if more is
/// known, with the type and shape of `graph`. External data stays in its files, under the same
/// relative path: an engine needs the part in the model's folder, or must be given that folder.
/// kUnsupported for an input whose type is open.
Result<Bytes> cut(const Graph& graph, ByteView file, const Part& part);

/// The same file without contents that its layers do not use: other tensors, buffers, the metadata
/// with its files, and the operators that were cut out of `before` become zeros, which compress to
/// almost nothing. Tensors keep their numbers; references to unused tensors lead to used ones. A
/// .onnx file is returned unchanged: cut() keeps nothing unused. kUnsupported if tables overlap or
/// there are several graphs.
Result<Bytes> scrub(const Graph& graph, ByteView file, ByteView before);

}  // namespace edgeprobe::model
