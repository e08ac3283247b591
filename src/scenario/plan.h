// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace edgeprobe::scenario {

/// One command line of this program.
struct Step {
  std::vector<std::string> words;  ///< The verb first.
  std::string json;  ///< The file that its result goes to; "": to standard output, with --json.
};

/// Where a scenario's results go.
struct Results {
  std::string folder;
  std::string name;  ///< What charts begin with.
  bool replace = false;
};

/// The verbs that a complete scenario is made of, in order: `serve`; or `convert`, `run`, `bench`
/// as far as they are asked for, `measurements` and `report` over what they recorded. Paths are
/// taken as they are.
std::vector<Step> plan(const Scenario& scenario, const Results& results);

}  // namespace edgeprobe::scenario
