// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "scenario/scenario.h"

namespace edgeprobe::scenario {

/// YAML that reads back as the same scenario.
std::string to_yaml(const Scenario& scenario);
/// The same as JSON.
std::string to_json(const Scenario& scenario);

}  // namespace edgeprobe::scenario
