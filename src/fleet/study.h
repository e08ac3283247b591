// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/devices.h"

/// Finds facts associated with the failing devices of a fleet. Association does not imply
/// causation.
namespace edgeprobe::fleet {

/// Facts that partition the devices identically and are therefore one test.
struct FactTest {
  std::vector<std::string> names;  ///< "soc", "driver".
  bool is_number = false;
  std::string unit;                        ///< For a number; "" if unknown.
  std::uint64_t failing = 0, passing = 0;  ///< Devices with a value.
  /// For texts: for each name, the value whose devices' failure rate differs most from the others.
  std::vector<std::string> values;
  std::uint64_t categories = 0;  ///< Distinct values, with the rare ones merged.
  std::uint64_t value_failing = 0, value_devices = 0;
  double failing_median = 0, passing_median = 0;  ///< For numbers.
  /// For texts, Cramer's V, 0..1; for numbers, the rank-biserial correlation, -1..1.
  double effect = 0;
  /// For texts, Fisher's or Freeman and Halton's test; for numbers, the permutation test of ranks.
  double p = 1;
  /// The smallest possible p for these values with this number of failures; not tested unless it is
  /// below 0.05.
  double least_p = 1;
  bool exact = true;                  ///< False: estimated from permutations.
  std::optional<double> p_corrected;  ///< Adjusted by Holm over all tests; empty if not tested.
  /// True if p_corrected < 0.05 and the effect is at least 0.3.
  bool tells = false;
  /// Devices with `value`, or without it if those fail more often.
  std::vector<bool> with_it;
};

/// Why no conclusion is possible.
enum class TooFew { kNo, kNoFact, kAllAlike, kDevices };

struct Study {
  std::vector<Device> devices;
  std::uint64_t failing = 0;
  std::vector<FactTest> tests;  ///< Significant ones first, then by size of the effect, then by p.
  std::uint64_t tested = 0;     ///< Number of these with a corrected p.
  std::uint64_t same = 0;       ///< Facts that are equal on every device.
  std::uint64_t singular = 0;   ///< Facts that differ on every device: names, keys.
  std::uint64_t left_out = 0;   ///< Facts beyond the first 400 tests.
  /// Significant tests of texts, grouped by their devices: those in one group cannot be
  /// distinguished. Indices into `tests`.
  std::vector<std::vector<std::size_t>> groups;
  /// The smallest possible p of a single fact: 1 / C(devices, failing), doubled if half of the
  /// devices fail.
  double least_p = 1;
  double least_corrected_p = 1;  ///< The smallest p of the actual tests, with Holm's correction.
  TooFew too_few = TooFew::kNo;
};
Study study_of(std::vector<Device> devices);

}  // namespace edgeprobe::fleet
