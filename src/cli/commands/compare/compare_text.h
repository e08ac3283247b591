// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/compare/compare_result.h"

namespace edgeprobe::cli {

/// What `compare` says of an agreement, as text.
void write_text(std::ostream& out, const compare::Agreement& agreement, const Decision& decision,
                const CompareArgs& args);

/// "'conv*', 'dense'": patterns of layers.
std::string quoted_patterns(const std::vector<std::string>& patterns);

}  // namespace edgeprobe::cli
