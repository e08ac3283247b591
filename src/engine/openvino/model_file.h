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

/// A model as read by OpenVINO, before compilation.
using ReadModel = std::unique_ptr<EpOvModel, void (*)(EpOvModel*)>;

/// A model file in a format that OpenVINO reads.
struct ModelFile {
  ByteView bytes;
  std::string format;                 ///< "tflite", "onnx", "openvino-ir".
  std::optional<model::Graph> graph;  ///< As read by edgeprobe; unset for "openvino-ir".
};
/// kCorrupt and kUnsupported as from the readers of src/model, which also ensure that an ONNX file
/// refers to nothing outside `folder`.
Result<ModelFile> recognise(ByteView bytes, std::string_view label,
                            const std::filesystem::path& folder);

/// Lets OpenVINO read the file. The weights of "openvino-ir" are `folder`/<label without .xml>.bin.
Result<ReadModel> read(const Runtime& runtime, const ModelFile& file, std::string_view label,
                       const std::filesystem::path& folder);

/// Maps the compiled model's kernels to the layers of the file.
class LayerSource {
 public:
  /// Returns nothing for "openvino-ir", whose layers edgeprobe does not know, or if OpenVINO
  /// refuses the copy with all outputs.
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
