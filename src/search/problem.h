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

/// The questions of a search about recorded frames, counted from 0. Each kind of answer is one.
template <class Recipe>
class Problem {
 public:
  virtual ~Problem() = default;
  virtual const Recipe& reference() const = 0;
  virtual std::size_t frames() const = 0;
  /// Those that may be made to a recipe, and those that the answers propose under it.
  virtual std::vector<Change<Recipe>> changes(const Recipe& recipe) = 0;
  /// From the recorded answer; 0: the same. It may look at a part of the answer.
  virtual double distance(const Recipe& recipe, std::size_t frame) = 0;
  /// Whether the whole answer is the same.
  virtual bool is_same(const Recipe& recipe, std::size_t frame) = 0;
  /// Bits that speak for one change: what the answers have, the recipe with it predicts, and the
  /// one without it does not.
  virtual double bits(const Recipe& with_it, const Recipe& without_it, const Change<Recipe>& change,
                      std::span<const std::size_t> frames) = 0;
  /// Bits that one of `together` changes must have before it is confirmed, where so many were
  /// proposed.
  virtual double bits_needed(const Change<Recipe>& /*change*/, std::size_t proposed,
                             std::size_t /*together*/) const {
    return search::bits_needed(proposed);
  }

  virtual Limits limits() const { return {}; }
  /// The problem on some frames, which a search looks at instead; `worst` is a place among them.
  /// It may look at less of each frame: what is found is checked on this one. Null: none is needed.
  virtual std::unique_ptr<Problem> on(std::span<const std::size_t> /*frames*/,
                                      std::size_t /*worst*/) {
    return nullptr;
  }
  /// Distances that were asked for, where the problem counts them itself.
  virtual std::optional<std::size_t> evaluations() const { return std::nullopt; }
  /// Whether the reference gives the whole answer but for its order, which then is not a fault
  /// where no change explains it.
  virtual bool is_reordered(std::size_t /*frame*/) { return false; }
};

}  // namespace edgeprobe::search
