// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/tensor.h"
#include "model/attributes.h"
#include "model/graph.h"

namespace edgeprobe::model {

/// A new operator for a file; tensors by name, "" for an absent input.
struct NewLayer {
  std::string type;  ///< In the form of Layer::type: "Conv", "com.microsoft:Gelu".
  std::string name;
  std::vector<std::string> inputs, outputs;
  Attributes attributes;
};

/// Some layers of a graph, and their replacement.
struct Replacement {
  std::vector<int> layers;        ///< Indices into Graph::layers, ascending; at least one.
  std::vector<NewLayer> by;       ///< Each after the layers whose outputs it reads.
  std::vector<Tensor> constants;  ///< With names that no other tensor of the file has.
};

/// The file with some layers replaced; the new ones are at the position of the last replaced one.
/// They must produce all tensors of the old layers that others read. Constants read only by the old
/// layers are removed. Reads the file back: kUsage if layers are named twice or new names are
/// taken, if something reads a tensor that no layer produces any more, and if graph and file do not
/// match; kUnsupported for a format other than .onnx, for attributes other than numbers or text,
/// constants without an ONNX element type, and for a file that would exceed 2 GB.
Result<Bytes> replaced(const Graph& graph, ByteView file,
                       const std::vector<Replacement>& replacements);

}  // namespace edgeprobe::model
