// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cli/options/parser.h"

namespace edgeprobe::cli {

/// All verbs of the program: its help, the tests of the docs and scenarios read this table.
std::span<const Verb> verbs();

}  // namespace edgeprobe::cli
