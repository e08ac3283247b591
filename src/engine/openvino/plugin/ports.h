// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <map>
#include <openvino/openvino.hpp>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"
#include "engine/openvino/plugin/model_file.h"

/// Inputs and outputs of a model.
namespace edgeprobe::engine::openvino {

/// An input or output.
struct Port {
  TensorSpec spec;  ///< -1: open.
  bool any_rank = false;
};

/// The file's description of the inputs or outputs, where OpenVINO kept all, or else OpenVINO's
/// own. kUnsupported for types that edgeprobe neither feeds nor records.
Result<std::vector<Port>> ports_of(const ov::Model& model, const ModelFile& file, bool outputs);

/// The shape of each input: the one asked for, or the model's, with 1 for open dimensions.
Result<std::vector<Shape>> shapes_of(const std::vector<Port>& inputs,
                                     const edgeprobe_plugin_request& request);

/// Takes the shape of a compiled output.
void settle(Port& port, const ov::PartialShape& shape);

/// Ports as edgeprobe_plugin.h describes them; keeps what they point to.
class Described {
 public:
  explicit Described(const std::vector<Port>& ports);
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  const std::vector<edgeprobe_plugin_tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Port> ports_;
  std::vector<std::vector<std::int64_t>> zero_points_;
  std::vector<edgeprobe_plugin_tensor> tensors_;
};

}  // namespace edgeprobe::engine::openvino
