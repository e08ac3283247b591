// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace edgeprobe::task {

/// Cosine of the angle between two vectors of equal length; empty if one is zero or not finite.
std::optional<double> cosine(std::span<const float> a, std::span<const float> b);

/// Retrieval result for one embedding among all others, the most similar first.
struct Retrieved {
  double average_precision = 0;  ///< For the same identity; ties count as one step.
  /// The most similar one has the same identity; in a tie, the worst counts.
  bool first = false;
  bool among_five = false;
};
/// For each embedding; empty if no other has its identity. An embedding without a direction finds
/// nothing, and is found last.
std::vector<std::optional<Retrieved>> retrieve(std::span<const std::span<const float>> embeddings,
                                               std::span<const std::string> identities);

}  // namespace edgeprobe::task
