// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "engine/engine.h"
#include "engine/openvino/library.h"

namespace edgeprobe::engine::openvino {

/// A TFLite or ONNX file, or the .xml of an OpenVINO IR whose .bin lies in `options.folder` under
/// the name that `label` has.
Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              std::string_view label,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::openvino
