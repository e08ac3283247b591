// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace edgeprobe::task {

/// Cosine of the angle between two vectors of one length; nothing where one is zero or not finite.
std::optional<double> cosine(std::span<const float> a, std::span<const float> b);

/// What one embedding finds among all others, the most similar first.
struct Retrieved {
  double average_precision = 0;  ///< Of those with the same identity; ties are one step.
  bool first = false;            ///< The most similar one has it; of a tie the worst counts.
  bool among_five = false;
};
/// For each embedding; nothing where no other has its identity. An embedding without a direction
/// finds nothing, and is found last.
std::vector<std::optional<Retrieved>> retrieve(std::span<const std::span<const float>> embeddings,
                                               std::span<const std::string> identities);

}  // namespace edgeprobe::task
