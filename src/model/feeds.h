// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// Possible values of an integer input without a scale, according to its use in the graph.
struct Feed {
  std::string name;                ///< Name of the input.
  std::int64_t low = 1, high = 1;  ///< Smallest and largest valid value.
  /// For indices: the table whose rows they select; "" for other inputs (a mask, a flag, a length),
  /// which are always 1.
  std::string table;
};

/// Feeds of the integer inputs without a scale, of at least 16 bits. They are traced through casts
/// and changes of shape to a row look-up (Gather, GATHER, EMBEDDING_LOOKUP, OneHot), whose table
/// limits them.
std::vector<Feed> feeds(const Graph& graph);

/// "input_ids 0 to 99 (rows of 'embedding'), attention_mask 1"; "" for none.
std::string to_text(const std::vector<Feed>& feeds);

/// The feed of that input; null if there is none.
const Feed* feed_of(const std::vector<Feed>& feeds, const std::string& input);

}  // namespace edgeprobe::model
