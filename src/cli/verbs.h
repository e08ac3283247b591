// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// All verbs of the program, for its help and the tests of the docs and of scenarios.
std::span<const Verb> verbs();
/// The verbs with the surrounding text of --help.
Program program();

/// Parses the command line and runs its verb. --help and --version print to terminal.out.
Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal);
/// The same for words that begin with the verb.
Result<Outcome> perform(const std::vector<std::string>& words, Terminal& terminal);

}  // namespace edgeprobe::cli
