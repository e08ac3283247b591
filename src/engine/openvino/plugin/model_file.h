// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <openvino/openvino.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::engine::openvino {

/// A model file in a format that OpenVINO reads.
struct ModelFile {
  ByteView bytes;
  std::string name;                   ///< Without folders.
  std::filesystem::path folder;       ///< Where the user keeps it; "" if unknown.
  std::string format;                 ///< "tflite", "onnx", "openvino-ir".
  std::optional<model::Graph> graph;  ///< As read by edgeprobe; unset for "openvino-ir".
};
/// kCorrupt and kUnsupported as from the readers of src/model, which also ensure that an ONNX file
/// refers to nothing outside `folder`.
Result<ModelFile> recognise(ByteView bytes, std::string name, std::filesystem::path folder);

/// Lets OpenVINO read the file. The weights of "openvino-ir" are `folder`/<name without .xml>.bin.
Result<std::shared_ptr<ov::Model>> read(ov::Core& core, const ModelFile& file);

/// Maps tensors of a model to the layers of its file.
struct LayerSource {
  /// The same model with more outputs, and the layer of each output (-1: none). If null, `names`
  /// are used.
  std::shared_ptr<ov::Model> promoted;
  std::vector<std::string> names;
  std::vector<std::int32_t> layers;
};
/// Nothing for "openvino-ir", whose layers edgeprobe does not know, or if OpenVINO refuses the copy
/// with all outputs.
std::optional<LayerSource> layer_source(ov::Core& core, const ModelFile& file);

}  // namespace edgeprobe::engine::openvino
