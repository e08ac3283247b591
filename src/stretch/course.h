// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// A simulated parallel run of a plan's programs.
struct Course {
  /// A step, with the index of its piece or flag instead of the name.
  struct Action {
    Step::Kind kind = Step::Kind::kRun;
    std::size_t index = 0;
  };
  std::vector<std::vector<Action>> programs;
  std::size_t flags = 0;
  std::vector<std::size_t> program_of;  ///< Indexed by piece.
  /// Pieces in a possible order of completion; incomplete if programs deadlock.
  std::vector<std::size_t> order;
  /// By program: the number of its steps if it ends, or the index of the wait where it is stuck.
  std::vector<std::size_t> reached;
  /// By piece: bit set of the pieces that have finished before it begins, 64 to a word.
  std::vector<std::vector<std::uint64_t>> ended;

  bool has_ended(std::size_t piece, std::size_t before) const {
    return (ended[before][piece / 64] >> (piece % 64) & 1) != 0;
  }
};

/// For a plan whose steps name existing pieces, each once, and flags that are signalled once.
Course course_of(const Plan& plan);

}  // namespace edgeprobe::stretch
