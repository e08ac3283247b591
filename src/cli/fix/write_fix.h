// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/fix/fix_folder.h"
#include "cli/fix/judged.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Writes what mends the deployment into the folder: the recipe, the samples that calibrate, the
/// layers that stay in float32, the model that was quantised again with them. The model is checked
/// as `check` does, and what does not help is not written. What could not be done is in the result;
/// fails only when the folder cannot be written.
Result<diagnose::WrittenFix> write_fix(const FixFlags& flags, const Judged& judged,
                                       Terminal& terminal);

}  // namespace edgeprobe::cli
