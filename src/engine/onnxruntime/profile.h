// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/shape.h"

namespace edgeprobe::engine::onnxruntime {

/// One node of the main graph in a profile, in the order of execution.
struct NodeTime {
  std::string name;       ///< The node's, or "<type>_<index>" when it has none.
  std::string type;       ///< "Conv", "FusedConv", "ReorderInput".
  std::string provider;   ///< "CPUExecutionProvider".
  std::string precision;  ///< Of its first output: "f32", "i8"; "" when it has none.
  Shape output;           ///< Of its first output.
  std::chrono::microseconds time{0};
};

/// Reads the profile of one run (Chrome's trace events as JSON). What runs inside the body of an
/// If, Loop or Scan is left out: it is part of that node's time. kTarget when the text is no
/// profile.
Result<std::vector<NodeTime>> read_profile(std::string_view json);

}  // namespace edgeprobe::engine::onnxruntime
