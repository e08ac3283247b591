// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "search/change.h"
#include "search/limits.h"
#include "search/proof.h"

namespace edgeprobe::search {

/// Operations that a search needs on recorded frames, counted from 0. Each kind of answer
/// implements them.
template <class Recipe>
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const Recipe& reference() const = 0;
  virtual std::size_t frames() const = 0;
  /// Possible changes to a recipe, including those that the answers suggest for it.
  virtual std::vector<Change<Recipe>> changes(const Recipe& recipe) = 0;
  /// Distance from the recorded answer; 0: equal. It may cover only a part of the answer.
  virtual double distance(const Recipe& recipe, std::size_t frame) = 0;
  /// True if the whole answer is equal.
  virtual bool is_same(const Recipe& recipe, std::size_t frame) = 0;
  /// Bits of evidence for one change: facts in the answers that the recipe with it predicts, and
  /// the recipe without it does not.
  virtual double bits(const Recipe& with_it, const Recipe& without_it, const Change<Recipe>& change,
                      std::span<const std::size_t> frames) = 0;
  /// Bits that each of `together` changes needs for confirmation, if `proposed` changes were tried.
  virtual double bits_needed(const Change<Recipe>& /*change*/, std::size_t proposed,
                             std::size_t /*together*/) const {
    return search::bits_needed(proposed);
  }

  virtual Limits limits() const { return {}; }
  /// A smaller problem for a search: only some frames; `worst` is an index into them. It may
  /// examine less of each frame, because results are checked on the full problem. Null: the search
  /// uses the full problem.
  virtual std::unique_ptr<Problem> on(std::span<const std::size_t> /*frames*/,
                                      std::size_t /*worst*/) {
    return nullptr;
  }
  /// Number of distances evaluated, if the problem counts them itself.
  virtual std::optional<std::size_t> evaluations() const { return std::nullopt; }
  /// True if the reference reproduces the whole answer except for its order; this is not a fault if
  /// no change explains it.
  virtual bool is_reordered(std::size_t /*frame*/) { return false; }
};

}  // namespace edgeprobe::search
