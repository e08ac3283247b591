// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands/compare/compare_args.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// kDone: exact, or below the floor and no significant loss of accuracy. kDiffers otherwise;
/// kUndecided when no frame or no tensor could be joined, or the work was interrupted.
Result<Outcome> run(const CompareArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
