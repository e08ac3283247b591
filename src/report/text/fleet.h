// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fleet/study.h"

namespace edgeprobe::report {

/// A trace for which it is unknown whether its device fails.
struct UnknownDevice {
  std::string file, why;  ///< Untrusted text.
};

/// The devices in a folder of traces, and the facts associated with failures.
struct Fleet {
  std::string rule;  ///< One sentence: when a device counts as failing.
  fleet::Study study;
  std::vector<UnknownDevice> unknown;
};

inline constexpr const char* kFleetTitle = "What goes with the devices that fail";

/// How many fail and by which rule; then the associated facts, or that there are too few devices;
/// one sentence each. Printable.
std::vector<std::string> fleet_sentences(const Fleet& fleet);
/// A line for each tested fact ("soc, driver: with 'G3' 9 of 9 fail, 0 of 31 without"), at most
/// twelve. Printable.
std::vector<std::string> fleet_rows(const Fleet& fleet);

}  // namespace edgeprobe::report
