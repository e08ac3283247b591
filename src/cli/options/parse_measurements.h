// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_measurements(CLI::App& app, Work& chosen);  // parse_measurements.cc

}  // namespace edgeprobe::cli
