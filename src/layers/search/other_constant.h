// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// A constant that an operator reads and that is not the reference's: of operators without weights,
/// as the table of a Gather or the factor of a Mul.
struct OtherConstant {
  std::string name;  ///< Of the target.
  /// The target's row i holds the reference's row i - shift; 0: the rows are others.
  int shift = 0;
};

/// The first one of a pair of operators of one type. Nothing where all are equal up to what 8 bits
/// round, where they are of other shapes, and without both files.
std::optional<OtherConstant> other_constant(const Workspace& workspace, const OpPair& pair);

}  // namespace edgeprobe::layers
