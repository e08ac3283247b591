// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/parser.h"

namespace edgeprobe::cli {

/// Program::help_of(). Sentences are wrapped at $COLUMNS, else at the width of the terminal up to
/// 100; examples are not. Of a verb whose row names its common flags it lists those, unless `all`.
std::string help_text(const Program& program, const Verb* verb, bool all);

}  // namespace edgeprobe::cli
