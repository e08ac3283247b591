// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace edgeprobe::scenario::kenning {

/// Something that did not come over as it was, and why.
struct Note {
  std::string what;
  std::string why;
};

struct Translation {
  Scenario scenario;
  std::vector<Note> notes;
  std::vector<std::string> command;  ///< In place of a scenario: what a report alone is here.
  std::string file;  ///< A scenario file of Kenning that the command line names: read that as well.
};

}  // namespace edgeprobe::scenario::kenning
