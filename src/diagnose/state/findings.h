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
  kFrom,    ///< The same from its first step on.
  kPeriod,  ///< In every n-th step of each sequence, or of the recording.
  kSome,
};

struct Finding {
  std::vector<std::size_t> states;  ///< Indices of the states with the same story, ascending.
  Change change;                    ///< Of the first of them.
  std::vector<std::size_t> steps;   ///< Where it shows, ascending; never empty.
  Extent extent = Extent::kSome;
  std::size_t period = 0;
  /// Other changes that explain these very steps.
  std::vector<Change> alternatives;
  /// Each of two states was fed with the other's output.
  bool exchanged = false;
  std::optional<double> level_step;  ///< Of kLevels, in the first step.
  std::optional<HalfCopied> half;    ///< Of kHalf, in the first step.
  /// Steps of these states that nothing explains: what is found beside them may be chance.
  std::size_t unexplained = 0;

  bool is_exact() const { return change.source != Source::kUnknown && unexplained == 0; }
};

struct Findings {
  std::vector<Finding> found;  ///< By first step; what covers more goes first.
  std::size_t judged = 0;      ///< Steps whose states could be judged.
  std::size_t cut = 0;         ///< Behind a step that was not recorded.
};

/// The fewest changes that explain every step of every state that is not as meant.
Findings findings(const Recording& recording);

}  // namespace edgeprobe::diagnose::state
