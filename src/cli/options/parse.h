// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Parses the command line and runs its verb. --help and --version print to terminal.out.
Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal);

}  // namespace edgeprobe::cli
