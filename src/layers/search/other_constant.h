// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// Constants that an operator reads and that are not the reference's: of operators without weights,
/// as the table of a Gather or the factor of a Mul.
struct OtherConstant {
  std::vector<std::string> names;  ///< Of the target.
  bool are_exchanged = false;      ///< Two that hold each other's values.
  /// Of one constant: the target's row i holds the reference's row i - shift; 0: the rows are
  /// others.
  int shift = 0;
};

/// Those of a pair of operators of one type. Nothing where all are equal up to what 8 bits
/// round, where they are of other shapes, and without both files.
std::optional<OtherConstant> other_constant(const Workspace& workspace, const OpPair& pair);

}  // namespace edgeprobe::layers
