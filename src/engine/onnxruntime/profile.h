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
  std::string name;       ///< The node's name, or "<type>_<index>" if it has none.
  std::string type;       ///< "Conv", "FusedConv", "ReorderInput".
  std::string provider;   ///< "CPUExecutionProvider".
  std::string precision;  ///< Type of its first output: "f32", "i8"; "" if it has none.
  Shape output;           ///< Shape of its first output.
  std::chrono::microseconds time{0};
};

/// Reads the profile of one run (Chrome's trace events as JSON). Nodes inside the body of an If,
/// Loop or Scan are left out: they are part of that node's time. kTarget if the text is not a
/// profile.
Result<std::vector<NodeTime>> read_profile(std::string_view json);

}  // namespace edgeprobe::engine::onnxruntime
