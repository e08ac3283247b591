// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/state/bend.h"
#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// Where the values of a state's input come from, when not from its output of the step before. In
/// the order of preference among those that explain the same steps.
enum class Source {
  kInitial,       ///< The value of a sequence's beginning: not fed back, or set back.
  kZero,          ///< Zeros, where the initial value is another.
  kMeant,         ///< The right place; a bend is the fault.
  kOutput,        ///< Another output of the step before.
  kLate,          ///< Its own output, `ago` steps before.
  kKept,          ///< The input of the step before.
  kHalf,          ///< Each element is the new one or the one before: a copy that was cut short.
  kNotANumber,    ///< NaN that the output does not hold.
  kNotReset,      ///< At a beginning: what the sequence before left.
  kOtherInitial,  ///< At a beginning: a value that is neither initial nor left.
  kUnknown,
};

struct Change {
  Source source = Source::kUnknown;
  std::size_t output = 0;  ///< Of kOutput: index into Recording::outputs.
  std::size_t ago = 0;     ///< Of kLate: 2 is one step late.
  Bend bend;

  /// How many things are wrong at once.
  int cost() const {
    return (source == Source::kMeant ? 0 : 1) + (bend.kind == BendKind::kNone ? 0 : 1);
  }
  bool operator==(const Change&) const = default;
  auto operator<=>(const Change&) const = default;
};

/// What of a half copied state is old.
struct HalfCopied {
  std::size_t old = 0, differ = 0;  ///< Elements; of those that new and old differ in.
  /// Of these: the one that is there is the larger, the smaller, farther from 0, nearer to it. A
  /// copy that was cut short does not choose: all are above 0 over a few steps.
  std::size_t larger = 0, smaller = 0, farther = 0, nearer = 0;
  /// The old ones are those before, or from, the first new or old one: nothing when mixed.
  std::optional<std::size_t> new_until, new_from;
};

/// The states of a recording and all that can be said of one step.
class Explainer {
 public:
  explicit Explainer(const Recording& recording);

  const Past& past() const { return past_; }
  /// Whether the step is recorded so far that it can be judged.
  bool is_judged(std::size_t state, std::size_t step) const;
  /// Whether the state is as meant: the output of the step before, or the initial value.
  bool is_meant(std::size_t state, std::size_t step) const;
  /// Everything that a step which is not as meant can be; kUnknown alone when nothing fits. Changes
  /// with two faults only where no single one fits.
  std::vector<Change> explanations(std::size_t state, std::size_t step) const;
  /// Whether a change gives what was recorded.
  bool fits(const Change& change, std::size_t state, std::size_t step) const;
  /// Of a step that kHalf explains.
  std::optional<HalfCopied> half_copied(std::size_t state, std::size_t step) const;

 private:
  /// The values before they are bent; null where they are not recorded.
  const Values* source(const Change& change, std::size_t state, std::size_t step) const;

  const Recording& recording_;
  Past past_;
  std::vector<std::vector<Bend>> bends_;  // Of each state.
  std::vector<Values> zeros_;
};

}  // namespace edgeprobe::diagnose::state
