// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/devices.h"

/// Which facts go with the devices of a fleet that fail. That they cause it is not said.
namespace edgeprobe::fleet {

/// Facts that split the devices in one way, and are one test therefore.
struct FactTest {
  std::vector<std::string> names;  ///< "soc", "driver".
  bool is_number = false;
  std::string unit;                        ///< Of a number; "" when it is not known.
  std::uint64_t failing = 0, passing = 0;  ///< Devices that have a value.
  /// Of texts: the value of each name whose devices fail most unlike the others.
  std::vector<std::string> values;
  std::uint64_t categories = 0;  ///< Values apart, the rare ones as one.
  std::uint64_t value_failing = 0, value_devices = 0;
  double failing_median = 0, passing_median = 0;  ///< Of numbers.
  /// Cramer's V of texts, 0..1; of numbers the rank-biserial correlation, -1..1.
  double effect = 0;
  /// Fisher's or Freeman and Halton's of texts, the permutation test of ranks of numbers.
  double p = 1;
  /// The least p that these values can give with so many failing; not tested where it is not
  /// below 0.05.
  double least_p = 1;
  bool exact = true;                  ///< False: estimated from permutations.
  std::optional<double> p_corrected;  ///< Holm over all tests; nothing where it is not tested.
  bool tells = false;                 ///< p_corrected < 0.05, effect of at least 0.3.
  std::vector<bool> with_it;          ///< Devices of `value`, or without it where those fail more.
};

/// Why nothing can be told.
enum class TooFew { kNo, kNoFact, kAllAlike, kDevices };

struct Study {
  std::vector<Device> devices;
  std::uint64_t failing = 0;
  std::vector<FactTest> tests;  ///< Those that tell first, then by size of the effect, by p.
  std::uint64_t tested = 0;     ///< Of these, with a corrected p.
  std::uint64_t same = 0;       ///< Facts that are the same on every device.
  std::uint64_t singular = 0;   ///< Facts with another value on every device: names, keys.
  std::uint64_t left_out = 0;   ///< Facts beyond the first 400 tests.
  /// Tests of texts that tell, by the devices that they mean: those of one group cannot be told
  /// apart. Indices of `tests`.
  std::vector<std::vector<std::size_t>> groups;
  double least_p = 1;            ///< Of any one fact: 1 / C(devices, failing), twice for halves.
  double least_corrected_p = 1;  ///< Of the tests at hand, Holm's correction in it.
  TooFew too_few = TooFew::kNo;
};
Study study_of(std::vector<Device> devices);

}  // namespace edgeprobe::fleet
