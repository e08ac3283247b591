// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// The programs of a plan, run side by side in thought.
struct Course {
  /// A step whose name is the index of a piece, or of a flag.
  struct Action {
    Step::Kind kind = Step::Kind::kRun;
    std::size_t index = 0;
  };
  std::vector<std::vector<Action>> programs;
  std::size_t flags = 0;
  std::vector<std::size_t> program_of;  ///< By piece.
  /// Pieces in an order in which they can end; fewer than there are where programs wait for each
  /// other.
  std::vector<std::size_t> order;
  std::vector<std::size_t> reached;  ///< By program: its steps, or the wait that it never leaves.
  /// By piece: those that have ended before it begins, 64 in a word.
  std::vector<std::vector<std::uint64_t>> ended;

  bool has_ended(std::size_t piece, std::size_t before) const {
    return (ended[before][piece / 64] >> (piece % 64) & 1) != 0;
  }
};

/// Of a plan whose steps name pieces, each of them once, and flags that are signalled once.
Course course_of(const Plan& plan);

}  // namespace edgeprobe::stretch
