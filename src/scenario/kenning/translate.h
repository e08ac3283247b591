// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "scenario/kenning/source.h"
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

/// Our scenario for what somebody asked Kenning for. kUnsupported for scenarios that have nothing
/// here, with the reason; kUsage for options, classes and parameters that Kenning never had, with
/// the nearest.
Result<Translation> translate(const Source& source);

/// What the document's tables say: a row for every class and option.
std::string page();

}  // namespace edgeprobe::scenario::kenning
