// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/compare/compare_result.h"

namespace edgeprobe::cli {

/// When each side was recorded, and how long ago that is; empty where its trace does not say.
struct Recorded {
  std::string reference, target;
};

/// What `compare` says of an agreement, as text.
void write_text(std::ostream& out, const compare::Agreement& agreement, const Decision& decision,
                const CompareArgs& args, const Recorded& recorded);

/// "'conv*', 'dense'": patterns of layers.
std::string quoted_patterns(const std::vector<std::string>& patterns);

}  // namespace edgeprobe::cli
