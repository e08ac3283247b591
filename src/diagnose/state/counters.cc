// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/counters.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose::state {
namespace {

/// Number of steps in which an input must advance to count as a counter.
constexpr std::size_t kLeast = 3;

bool follows(const Recording& recording, std::size_t step) {
  return step > 0 && recording.frames[step] == recording.frames[step - 1] + 1;
}

// The common difference of all elements; nothing if they differ by several values.
std::optional<double> difference(const Values& a, const Values& b) {
  if (a.empty() || a.size() != b.size()) return std::nullopt;
  const double by = a[0] - b[0];
  for (std::size_t i = 1; i < a.size(); ++i)
    if (a[i] - b[i] != by) return std::nullopt;
  return by;
}

bool are_whole(const Series& values) {
  return std::all_of(values.begin(), values.end(), [](const std::optional<Values>& one) {
    return !one || std::all_of(one->begin(), one->end(),
                               [](double v) { return std::isfinite(v) && v == std::floor(v); });
  });
}

// The rate over the steps accepted by `counts`.
template <class Counts>
std::optional<double> rate(const Recording& recording, const Series& values, const Counts& counts) {
  std::optional<double> rate;
  std::size_t seen = 0;
  for (std::size_t step = 1; step < recording.steps(); ++step) {
    if (!counts(step) || !values[step] || !values[step - 1]) continue;
    const auto by = difference(*values[step], *values[step - 1]);
    if (!by || (rate && *rate != *by)) return std::nullopt;
    rate = by;
    ++seen;
  }
  return seen >= kLeast ? rate : std::nullopt;
}

}  // namespace

std::optional<double> rate_of(const Recording& recording, const Series& values) {
  if (!are_whole(values)) return std::nullopt;
  const auto found = rate(recording, values, [&](std::size_t step) {
    return follows(recording, step) && !recording.begins[step];
  });
  return found && *found != 0 ? found : std::nullopt;
}

std::optional<CounterFinding> counter_finding(const Recording& recording, const Series& fed,
                                              const Series& meant) {
  const auto meant_rate = rate_of(recording, meant);
  if (!meant_rate) return std::nullopt;
  CounterFinding found;
  std::optional<double> offset;
  bool one_offset = true;
  for (std::size_t step = 0; step < recording.steps(); ++step) {
    if (!fed[step] || !meant[step]) continue;
    const auto by = difference(*fed[step], *meant[step]);
    one_offset = one_offset && by && (!offset || *offset == *by);
    if (by) offset = by;
    if (!by || *by != 0) found.steps.push_back(step);
  }
  if (found.steps.empty()) return std::nullopt;
  if (one_offset) {
    found.fault = CounterFault::kOffset;
    found.offset = *offset;
    return found;
  }
  const auto on = rate(recording, fed, [&](std::size_t step) { return follows(recording, step); });
  const auto within = rate(recording, fed, [&](std::size_t step) {
    return follows(recording, step) && !recording.begins[step];
  });
  const bool starts_right = fed[0] && meant[0] && *fed[0] == *meant[0];
  if (on == 0.0) {
    found.fault = CounterFault::kStuck;
  } else if (on == meant_rate && starts_right) {
    found.fault = CounterFault::kNotSetBack;
  } else if (within && *within != *meant_rate) {
    found.fault = *within == 0 ? CounterFault::kStuck : CounterFault::kRate;
    found.rate = *within;
    found.meant_rate = *meant_rate;
  }
  return found;
}

}  // namespace edgeprobe::diagnose::state
