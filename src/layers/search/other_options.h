// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/options/options.h"
#include "layers/replay/local_error.h"
#include "model/change.h"

namespace edgeprobe::layers {

/// An option in which a pair of operators differs, and the changes to the target's file that make
/// it equal to the reference.
struct OtherOption {
  std::size_t pair = 0;                  ///< Index into Pairing::ops.
  int reference_layer = -1, layer = -1;  ///< The operators with this option.
  compare::OptionDifference difference;
  /// Empty if the format cannot express the option, for the reason in `not_said`.
  std::vector<model::Change> changes;
  std::string not_said;
  /// The file's current value for each change; "the default" if the file omits it and the default
  /// is unknown.
  std::vector<std::string> now;
};

/// Options of all pairs with operators of one kind, each combined with operators that a converter
/// fused into it or left separate. Empty without both files. Fails if one of them is damaged.
Result<std::vector<OtherOption>> other_options(const Workspace& workspace);

}  // namespace edgeprobe::layers
