// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace edgeprobe::scenario::kenning {

/// Something that was not translated exactly, and why.
struct Note {
  std::string what;
  std::string why;
};

struct Translation {
  Scenario scenario;
  std::vector<Note> notes;
  /// Instead of a scenario: the command for a request that only makes a report.
  std::vector<std::string> command;
  std::string file;  ///< A Kenning scenario file named on the command line: read it as well.
};

}  // namespace edgeprobe::scenario::kenning
