// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/state/bend.h"
#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// Source of a state's input if it is not its output of the previous step. Sorted by preference
/// among sources that explain the same steps.
enum class Source {
  kInitial,       ///< The initial value of a sequence: not fed back, or reset.
  kZero,          ///< Zeros, although the initial value differs.
  kMeant,         ///< The right source; only a bend (bend.h) is wrong.
  kOutput,        ///< Another output of the previous step.
  kLate,          ///< Its own output from `ago` steps earlier.
  kKept,          ///< The input of the previous step.
  kHalf,          ///< Each element is either new or old: an interrupted copy.
  kNotANumber,    ///< NaN that is not in the output.
  kNotReset,      ///< At a beginning: the state left by the previous sequence.
  kOtherInitial,  ///< At a beginning: neither the initial value nor the one left.
  kUnknown,
};

struct Change {
  Source source = Source::kUnknown;
  std::size_t output = 0;  ///< For kOutput: index into Recording::outputs.
  std::size_t ago = 0;     ///< For kLate: 2 is one step late.
  Bend bend;

  /// Number of simultaneous faults.
  int cost() const {
    return (source == Source::kMeant ? 0 : 1) + (bend.kind == BendKind::kNone ? 0 : 1);
  }
  bool operator==(const Change&) const = default;
  auto operator<=>(const Change&) const = default;
};

/// The old part of a half-copied state.
struct HalfCopied {
  /// Number of old elements, and of elements in which new and old differ.
  std::size_t old = 0, differ = 0;
  /// Of the elements that differ, the numbers of those that hold the larger value, the smaller one,
  /// the one farther from 0, and the nearer one. An interrupted copy does not choose by value: all
  /// four exceed 0 over several steps.
  std::size_t larger = 0, smaller = 0, farther = 0, nearer = 0;
  /// First old element if all before it are new, or first new one if all after it are; unset if
  /// mixed.
  std::optional<std::size_t> new_until, new_from;
};

/// The states of a recording, and possible explanations of each step.
class Explainer {
 public:
  explicit Explainer(const Recording& recording);

  const Past& past() const { return past_; }
  /// True if enough of the step was recorded to judge it.
  bool is_judged(std::size_t state, std::size_t step) const;
  /// True if the state is right: the previous step's output, or the initial value.
  bool is_meant(std::size_t state, std::size_t step) const;
  /// All possible explanations of a step with a wrong state; only kUnknown if nothing fits.
  /// Includes changes with two faults only if no single one fits.
  std::vector<Change> explanations(std::size_t state, std::size_t step) const;
  /// True if a change reproduces the recorded value.
  bool fits(const Change& change, std::size_t state, std::size_t step) const;
  /// The old part of the state in a step explained by kHalf.
  std::optional<HalfCopied> half_copied(std::size_t state, std::size_t step) const;

 private:
  /// The values before the bend; null if not recorded.
  const Values* source(const Change& change, std::size_t state, std::size_t step) const;

  const Recording& recording_;
  Past past_;
  std::vector<std::vector<Bend>> bends_;  // One entry per state.
  std::vector<Values> zeros_;
};

}  // namespace edgeprobe::diagnose::state
