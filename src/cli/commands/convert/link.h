// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/commands/check/check_command.h"
#include "cli/commands/convert/convert_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// The check of the result in `file` against the source, whose recipe is `recipe`.
CheckArgs check_of(const ConvertArgs& args, const std::string& recipe,
                   const std::filesystem::path& file);

/// One conversion, checked against its source. Returns the outcome of the check; the JSON of `args`
/// has the conversion and the verdict.
Result<Outcome> run_link(const ConvertArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
