// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/parser.h"

namespace edgeprobe::cli {

/// Implements Program::help_of(). Wraps sentences at $COLUMNS, else at the terminal's width up to
/// 100; does not wrap examples. For a verb whose row names common flags, lists only those unless
/// `all`.
std::string help_text(const Program& program, const Verb* verb, bool all);

}  // namespace edgeprobe::cli
