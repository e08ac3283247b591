// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/result.h"

namespace edgeprobe::fix {

/// Result of a search for a sufficient set of layers.
struct LayerSet {
  /// Ascending. Without `enough`, the last and largest set that was tried.
  std::vector<int> layers;
  bool enough = false;
  /// No layer can be dropped; false if `most_tries` stopped the search before this was shown.
  bool smallest = false;
  std::size_t tries = 0;
};

/// Returns true if a model that keeps these layers in floating point is right.
using Try = std::function<Result<bool>(const std::vector<int>& layers)>;

/// Searches for the smallest sufficient set of layers from `order` (most suspicious first): doubles
/// the number, then bisects, then tries to drop each layer. Assumes that the empty set was tried
/// and is not enough. Fails at the first failing attempt.
Result<LayerSet> smallest_set(const std::vector<int>& order, std::size_t most_tries,
                              const Try& attempt);

/// Shrinks `kept` (sufficient; most suspicious first) while it stays sufficient: drops blocks from
/// its end, halves first, then single layers.
Result<LayerSet> shrunk_set(const std::vector<int>& kept, std::size_t most_tries,
                            const Try& attempt);

}  // namespace edgeprobe::fix
