// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// What is wrong with an input that counts: a position, a time, a cache's length.
enum class CounterFault {
  kOffset,      ///< The same number too much in every step.
  kStuck,       ///< Never advances.
  kNotSetBack,  ///< Goes on where a sequence begins.
  kRate,        ///< Advances by another number.
  kUnknown,
};

struct CounterFinding {
  CounterFault fault = CounterFault::kUnknown;
  std::vector<std::size_t> steps;   ///< Where it differs, ascending; never empty.
  double offset = 0;                ///< Of kOffset.
  double rate = 0, meant_rate = 0;  ///< Of kRate.
};

/// How much an input advances a step, where it is a counter: whole numbers, each element by the
/// same number in every step within a sequence. Nothing for any other input.
std::optional<double> rate_of(const Recording& recording, const Series& values);

/// What was fed in place of `meant`, the reference's values for the same steps. Nothing when they
/// are equal, or when `meant` is no counter.
std::optional<CounterFinding> counter_finding(const Recording& recording, const Series& fed,
                                              const Series& meant);

}  // namespace edgeprobe::diagnose::state
