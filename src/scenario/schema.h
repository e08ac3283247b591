// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace edgeprobe::scenario {

/// The JSON schema (2020-12) of scenarios, made of the table of keys:
/// docs/reference/scenario.schema.json.
std::string schema();

}  // namespace edgeprobe::scenario
