// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace edgeprobe::scenario {

/// One command line of this program.
struct Step {
  std::vector<std::string> words;  ///< The verb first.
  std::string json;                ///< Output file of its result; "": standard output, with --json.
};

/// Destination of a scenario's results.
struct Results {
  std::string folder;
  std::string name;  ///< Prefix of the charts' names.
  bool replace = false;
};

/// The verbs of a complete scenario, in order: `serve`; or `convert`, `run`, `bench` as requested,
/// then `measurements` and `report` on their recordings. Paths are used unchanged.
std::vector<Step> plan(const Scenario& scenario, const Results& results);

}  // namespace edgeprobe::scenario
