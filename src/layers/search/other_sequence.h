// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "compare/align/attribute_differences.h"
#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// Operators between the same two places of both models, in the order in which each computes them.
struct OtherSequence {
  std::vector<int> reference, target;  ///< Layers.
  /// The target's operator whose attributes differ from those of the reference's at its place; -1:
  /// there is none, and the operators themselves or their order differ.
  int unlike = -1;
  std::vector<compare::AttributeDifference> differences = {};  ///< Of that one.
};

/// The operators that make a pair's output of tensors that have a partner, where one side has the
/// other's in another order, or lacks some; or where one in front of the pair's own has other
/// attributes, as a Slice whose output has another shape and so no partner. Nothing where both have
/// the same, where an operator of each side has no equal (type, attributes and constants, bit for
/// bit) on the other, and for two formats, which write operators in other ways.
std::optional<OtherSequence> other_sequence(const Workspace& workspace, const OpPair& pair);

}  // namespace edgeprobe::layers
