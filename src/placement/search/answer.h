// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/graph.h"
#include "placement/search/found.h"
#include "placement/search/options.h"

namespace edgeprobe::placement {

/// The result of a search with the plan of each candidate, as a text for storage.
std::string answer_text(const Found& found);
/// Reads an answer_text() back and marks it as stored. Empty for a damaged text, for plans of
/// another model, and for results dated after `now` or older than kLongestKept (both in seconds
/// since 1970): properties of a machine that the key does not contain change over time.
std::optional<Found> answer_from_text(std::string_view text, const model::Graph& graph,
                                      std::int64_t now);
inline constexpr std::int64_t kLongestKept = std::int64_t{30} * 24 * 3600;

/// True if the answer would be the same tomorrow: false if there is none, or if something failed
/// that may work next time, such as an engine that ran out of memory.
bool is_lasting(const Found& found);

/// Everything that determines the result of a search, as a cache key: the model with its weights,
/// the options, this program, the libraries of engines and delegates, the machine and its
/// conditions_text(). Opens each engine once.
std::string answer_key(const model::Graph& graph, const SearchOptions& options);

}  // namespace edgeprobe::placement
