// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// "edgeprobe run a.tflite --recipe '…'": words as a shell reads them again.
std::string command_line(const std::vector<std::string>& words);

/// Runs a command line of this program in this process; `words` begin with the verb.
Result<Outcome> perform(const std::vector<std::string>& words, Terminal& terminal);

}  // namespace edgeprobe::cli
