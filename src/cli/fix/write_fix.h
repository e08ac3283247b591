// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/fix/fix_folder.h"
#include "cli/fix/judged.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Writes a fix of the deployment into the folder: the recipe, the calibration samples, the layers
/// kept in float32, and the model quantised again with them. The model is checked like in `check`,
/// and anything that does not help is not written. The result lists what was impossible; fails only
/// if the folder cannot be written.
Result<diagnose::WrittenFix> write_fix(const FixFlags& flags, const Judged& judged,
                                       Terminal& terminal);

}  // namespace edgeprobe::cli
