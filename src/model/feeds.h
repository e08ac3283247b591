// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// What whole numbers without a scale may be as an input, by what the graph does with them.
struct Feed {
  std::string name;                ///< Of the input.
  std::int64_t low = 1, high = 1;  ///< Both are legal, and what lies between.
  /// Indices: what they choose rows of; "" for what is no index (a mask, a flag, a length):
  /// always 1.
  std::string table;
};

/// Of the inputs that are whole numbers without a scale, of 16 bits and more. Followed through
/// casts and changes of shape to a look-up of rows (Gather, GATHER, EMBEDDING_LOOKUP, OneHot),
/// whose table limits them.
std::vector<Feed> feeds(const Graph& graph);

/// "input_ids 0 to 99 (rows of 'embedding'), attention_mask 1"; "" for none.
std::string to_text(const std::vector<Feed>& feeds);

/// The feed of that input; null when it is none.
const Feed* feed_of(const std::vector<Feed>& feeds, const std::string& input);

}  // namespace edgeprobe::model
