// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/options/options.h"
#include "layers/replay/local_error.h"
#include "model/change.h"

namespace edgeprobe::layers {

/// An option in which a pair of operators computes otherwise, and what the target's file has to say
/// for it to do as the reference does.
struct OtherOption {
  std::size_t pair = 0;                  ///< Index into Pairing::ops.
  int reference_layer = -1, layer = -1;  ///< The operators whose option it is.
  compare::OptionDifference difference;
  std::vector<model::Change> changes;  ///< Empty: the format has no word for it, `not_said` why.
  std::string not_said;
  /// What the file says now, for each change; "the default" where it leaves it out and none is
  /// known.
  std::vector<std::string> now;
};

/// Of all pairs whose operators are of one kind, each put together with what its converter fused
/// into it or left apart. Empty without both files. Fails when one of them is damaged.
Result<std::vector<OtherOption>> other_options(const Workspace& workspace);

}  // namespace edgeprobe::layers
