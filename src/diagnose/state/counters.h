// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "diagnose/state/recording.h"

namespace edgeprobe::diagnose::state {

/// Fault of a counting input: a position, a time, a cache's length.
enum class CounterFault {
  kOffset,      ///< Too large by the same number in every step.
  kStuck,       ///< Never advances.
  kNotSetBack,  ///< Continues at the beginning of a sequence.
  kRate,        ///< Advances by another number.
  kUnknown,
};

struct CounterFinding {
  CounterFault fault = CounterFault::kUnknown;
  std::vector<std::size_t> steps;   ///< Steps that differ, ascending; never empty.
  double offset = 0;                ///< For kOffset.
  double rate = 0, meant_rate = 0;  ///< For kRate.
};

/// Increment per step of a counter: whole numbers, with the same increment for each element in
/// every step within a sequence. Nothing for other inputs.
std::optional<double> rate_of(const Recording& recording, const Series& values);

/// Compares a counter with `meant`, the reference's values for the same steps. Nothing if they are
/// equal, or `meant` is not a counter.
std::optional<CounterFinding> counter_finding(const Recording& recording, const Series& fed,
                                              const Series& meant);

}  // namespace edgeprobe::diagnose::state
