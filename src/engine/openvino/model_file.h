// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/openvino/library.h"
#include "model/graph.h"

namespace edgeprobe::engine::openvino {

/// A model as OpenVINO read it, before it is compiled.
using ReadModel = std::unique_ptr<EpOvModel, void (*)(EpOvModel*)>;

/// A model file of one of the formats that OpenVINO reads.
struct ModelFile {
  ByteView bytes;
  std::string format;                 ///< "tflite", "onnx", "openvino-ir".
  std::optional<model::Graph> graph;  ///< As edgeprobe reads it; nothing for "openvino-ir".
};
/// kCorrupt, kUnsupported as the readers of src/model say it; they also see to it that an ONNX file
/// reaches for nothing outside of `folder`.
Result<ModelFile> recognise(ByteView bytes, std::string_view label,
                            const std::filesystem::path& folder);

/// Gives the file to OpenVINO. The weights of "openvino-ir" are `folder`/<label without .xml>.bin.
Result<ReadModel> read(const Runtime& runtime, const ModelFile& file, std::string_view label,
                       const std::filesystem::path& folder);

/// Tells from which layers of the file the kernels of the compiled model come.
class LayerSource {
 public:
  /// Nothing for "openvino-ir", whose layers edgeprobe does not know, and where OpenVINO refuses
  /// the copy with all outputs.
  static std::optional<LayerSource> create(const Runtime& runtime, const ModelFile& file);
  EpOvLayers view() const;

 private:
  explicit LayerSource(ReadModel promoted) : promoted_(std::move(promoted)) {}
  ReadModel promoted_;
  std::vector<std::string> names_;
  std::vector<const char*> pointers_;
  std::vector<std::int32_t> layers_;
};

}  // namespace edgeprobe::engine::openvino
