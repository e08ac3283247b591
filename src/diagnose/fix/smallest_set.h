// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/result.h"

namespace edgeprobe::fix {

/// A set of layers that was looked for by trying.
struct LayerSet {
  std::vector<int> layers;  ///< Ascending. Without `enough` the last and largest that was tried.
  bool enough = false;
  /// No layer can be left out of it; false when `most_tries` ended the search before that was seen.
  bool smallest = false;
  std::size_t tries = 0;
};

/// Whether a model that keeps these layers is right.
using Try = std::function<Result<bool>(const std::vector<int>& layers)>;

/// The smallest set of `order` (most suspicious first) that is enough, found by trying: twice as
/// many each time, then half way back, then without each one. The empty set is taken to be tried
/// and not enough. Fails with the first failure of a try.
Result<LayerSet> smallest_set(const std::vector<int>& order, std::size_t most_tries,
                              const Try& attempt);

/// The smallest part of `kept` (most suspicious first), which is enough, that still is: blocks are
/// left out from its end, halves first, then single layers.
Result<LayerSet> shrunk_set(const std::vector<int>& kept, std::size_t most_tries,
                            const Try& attempt);

}  // namespace edgeprobe::fix
