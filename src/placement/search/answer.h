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

/// What a search found with the plan of each way, as a text to be kept.
std::string answer_text(const Found& found);
/// The same again, marked as kept. Nothing for a text that is damaged, whose plans are not of this
/// model, or that is from after `now` or older than kLongestKept (both in seconds since 1970): what
/// the key of an answer does not know about a machine changes with time.
std::optional<Found> answer_from_text(std::string_view text, const model::Graph& graph,
                                      std::int64_t now);
inline constexpr std::int64_t kLongestKept = std::int64_t{30} * 24 * 3600;

/// Whether the answer would be the same tomorrow: not where something failed that may not fail
/// again, such as an engine that ran out of memory.
bool is_lasting(const Found& found);

/// All that the answer of a search depends on, for a cache: the model with its weights, the
/// options, this program, the engines' and delegates' libraries, the machine and its
/// conditions_text(). Opens each engine once.
std::string answer_key(const model::Graph& graph, const SearchOptions& options);

}  // namespace edgeprobe::placement
