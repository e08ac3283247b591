// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/compare/compare_result.h"

namespace edgeprobe::cli {

/// When each side was recorded, and how long ago; empty if its trace does not contain it.
struct Recorded {
  std::string reference, target;
};

/// The text output of `compare`.
void write_text(std::ostream& out, const compare::Agreement& agreement, const Decision& decision,
                const CompareArgs& args, const Recorded& recorded);

/// Quoted patterns of layers: "'conv*', 'dense'".
std::string quoted_patterns(const std::vector<std::string>& patterns);

}  // namespace edgeprobe::cli
