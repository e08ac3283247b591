// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/commands/check_command.h"
#include "dataset/sample.h"

namespace edgeprobe::cli {

/// `check` of all samples of the data but these, which its verdict counts.
Result<Outcome> run_without(const std::vector<dataset::Unreadable>& left_out, const CheckArgs& args,
                            Terminal& terminal);

}  // namespace edgeprobe::cli
