// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "engine/engine.h"
#include "engine/openvino/library.h"

namespace edgeprobe::engine::openvino {

/// A TFLite or ONNX file, or the .xml of an OpenVINO IR whose .bin is in `options.folder` under the
/// name in `label`.
Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              std::string_view label,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::openvino
