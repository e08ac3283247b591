// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/result.h"

namespace edgeprobe::cli {

/// True for model files whose weights this program reads: .tflite and .onnx. The trainer reads
/// .keras, .h5 and .npz.
bool is_graph_file(const std::string& file);

/// Writes the weights of a float model's convolutions, dense layers and batch norms as .npy files
/// into the folder `arrays`, and returns the layers as the trainer takes them: a list of
/// {"name", "kind", "layout", "weights": [[role, file], …]} in the order in which they run;
/// "layout" names the axes of the kernel, "ohwi" for [out, height, width, in]. kUsage for
/// weights that are not float32.
Result<nlohmann::ordered_json> export_backbone(const std::string& file,
                                               const std::filesystem::path& arrays);

}  // namespace edgeprobe::cli
