// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/convert/convert_flags.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// The chains of a search: from each stage ("prune?sparsity=0.5 | cluster") one link or none, in
/// the order of the stages, if each link takes what the link before it makes. kUsage for an empty
/// stage, for a link that fits into no chain, and for more than 1000 chains.
Result<std::vector<std::vector<std::string>>> chains_of(const ConvertArgs& args,
                                                        const std::vector<std::string>& stages);

}  // namespace edgeprobe::cli
