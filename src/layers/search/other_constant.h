// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layers/replay/local_error.h"

namespace edgeprobe::layers {

/// Constants that an operator reads and that differ from the reference's: for operators without
/// weights, such as the table of a Gather or the factor of a Mul.
struct OtherConstant {
  std::vector<std::string> names;  ///< Names in the target.
  bool are_exchanged = false;      ///< Two constants with each other's values.
  /// For one constant: the target's row i has the values of the reference's row i - shift; 0: the
  /// rows have other values.
  int shift = 0;
};

/// Compares a pair of operators of one type. Nothing if all constants are equal up to 8-bit
/// rounding, if shapes differ, or without both files.
std::optional<OtherConstant> other_constant(const Workspace& workspace, const OpPair& pair);

}  // namespace edgeprobe::layers
