// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "dataset/sample.h"

namespace edgeprobe::cli {

struct CheckArgs;

/// `check` of all samples of the data but these, which its verdict counts.
Result<Outcome> run_without(const std::vector<dataset::Unreadable>& left_out, const CheckArgs& args,
                            Terminal& terminal);

}  // namespace edgeprobe::cli
