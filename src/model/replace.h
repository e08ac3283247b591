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

/// An operator that a file is to have; tensors by name, "" for an absent input.
struct NewLayer {
  std::string type;  ///< As Layer::type: "Conv", "com.microsoft:Gelu".
  std::string name;
  std::vector<std::string> inputs, outputs;
  Attributes attributes;
};

/// Some layers of a graph, and what stands in their place.
struct Replacement {
  std::vector<int> layers;        ///< Indices into Graph::layers, ascending; at least one.
  std::vector<NewLayer> by;       ///< Each behind what it reads.
  std::vector<Tensor> constants;  ///< Under names that no other tensor of the file has.
};

/// The file with other layers in the place of some; the new ones stand where the last replaced one
/// stood. What else reads the old layers' tensors must find them made by the new ones. Constants
/// that only the old layers read are gone. The file is read back: kUsage when layers are named
/// twice or new names are taken, when something reads a tensor that nothing makes any more, and
/// when graph and file do not belong together; kUnsupported for a format other than .onnx, for
/// attributes that are no numbers or texts, constants without an element type of ONNX, and for a
/// file that would pass 2 GB.
Result<Bytes> replaced(const Graph& graph, ByteView file,
                       const std::vector<Replacement>& replacements);

}  // namespace edgeprobe::model
