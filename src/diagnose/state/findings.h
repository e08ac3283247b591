// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "diagnose/state/explain.h"
#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// How often a change happens.
enum class Extent {
  kEvery,   ///< In every step where it makes a difference.
  kFrom,    ///< In all steps from the first one on.
  kPeriod,  ///< In every n-th step of each sequence, or of the recording.
  kSome,
};

struct Finding {
  std::vector<std::size_t> states;  ///< Indices of the states with this finding, ascending.
  Change change;                    ///< The change of the first of these states.
  std::vector<std::size_t> steps;   ///< Steps in which it shows, ascending; never empty.
  Extent extent = Extent::kSome;
  std::size_t period = 0;
  /// Other changes that explain exactly these steps.
  std::vector<Change> alternatives;
  /// Two states were each fed with the other's output.
  bool exchanged = false;
  std::optional<double> level_step;  ///< For kLevels, in the first step.
  std::optional<HalfCopied> half;    ///< For kHalf, in the first step.
  /// Number of unexplained steps of these states: findings next to them may be chance.
  std::size_t unexplained = 0;

  bool is_exact() const { return change.source != Source::kUnknown && unexplained == 0; }
};

struct Findings {
  std::vector<Finding> found;  ///< Sorted by first step, then by coverage.
  std::size_t judged = 0;      ///< Number of steps whose states could be judged.
  std::size_t cut = 0;         ///< Number of steps after one that was not recorded.
};

/// The fewest changes that explain all wrong states in every step.
Findings findings(const Recording& recording);

}  // namespace edgeprobe::diagnose::state
