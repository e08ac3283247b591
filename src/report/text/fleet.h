// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fleet/study.h"

namespace edgeprobe::report {

/// A trace whose device cannot be told to fail or not.
struct UnknownDevice {
  std::string file, why;  ///< Untrusted text.
};

/// The devices of a folder of traces, and what goes with those that fail.
struct Fleet {
  std::string rule;  ///< One sentence: when a device fails.
  fleet::Study study;
  std::vector<UnknownDevice> unknown;
};

inline constexpr const char* kFleetTitle = "What goes with the devices that fail";

/// How many fail and by which rule; then what goes with them, or that too few devices can tell, a
/// sentence each. Printable.
std::vector<std::string> fleet_sentences(const Fleet& fleet);
/// A line for each fact that was tested ("soc, driver: with 'G3' 9 of 9 fail, 0 of 31 without"), at
/// most twelve. Printable.
std::vector<std::string> fleet_rows(const Fleet& fleet);

}  // namespace edgeprobe::report
