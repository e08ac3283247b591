// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::cli {

/// One conversion, as python/edgeprobe/convert understands it.
struct Conversion {
  std::string to;      ///< "int8", "int8-dynamic", "openvino", "tvm".
  std::string format;  ///< Of the source: "onnx", "tflite".
  std::filesystem::path model, out;
  std::vector<TensorSpec> inputs, outputs;  ///< Of the source, as a session has them.
  /// Values of the one input, frame after frame; empty: none.
  std::filesystem::path calibration;
  std::size_t frames = 0;  ///< In `calibration`.
};

/// What the converter says about its work.
struct Converted {
  std::string tool;  ///< "onnxruntime 1.31.1".
  std::vector<std::string> notes;
};

/// Runs the tool that converts so: in `python` when that is given (it must have the tool's
/// packages), else in an environment under $XDG_CACHE_HOME/edgeprobe that is made, with pinned
/// packages, when it is not there. The result may be unfinished when this fails.
Result<Converted> convert(const Conversion& wanted, const std::string& python, Terminal& terminal);

}  // namespace edgeprobe::cli
