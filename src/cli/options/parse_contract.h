// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_contract(CLI::App& app, Work& chosen);  // parse_contract.cc

}  // namespace edgeprobe::cli
