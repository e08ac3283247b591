// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/graph.h"
#include "placement/search/options.h"

namespace edgeprobe::placement {

/// All that the answer of a search depends on, for a cache: the model with its weights, the
/// options, this program, the engines' and delegates' libraries, the machine and its
/// conditions_text(). Opens each engine once.
std::string answer_key(const model::Graph& graph, const SearchOptions& options);

}  // namespace edgeprobe::placement
