// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compare/align/attribute_differences.h"
#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// Operators between the same two positions in both models, each in its execution order.
struct OtherSequence {
  std::vector<int> reference, target;  ///< Layers.
  /// The target's operator whose attributes differ from those of the reference's operator at the
  /// same position; -1: none, because the operators themselves or their order differ.
  int unlike = -1;
  std::vector<compare::AttributeDifference> differences = {};  ///< Differences of that operator.
};

/// The operators that compute a pair's output from paired tensors, if one side has them in another
/// order or lacks some; or if one before the pair's own operator has other attributes, such as a
/// Slice whose output has another shape and so no partner. Nothing if both sides are equal, if each
/// side has an operator without an equal one (type, attributes and constants, bit for bit) on the
/// other side, and for two formats, which represent operators differently.
std::optional<OtherSequence> other_sequence(const Workspace& workspace, const OpPair& pair);

}  // namespace edgeprobe::layers
