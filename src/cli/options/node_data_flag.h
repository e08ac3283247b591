// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/parser.h"
#include "core/result.h"
#include "report/json/node_data.h"

namespace edgeprobe::cli {

/// --node-data FILE: the drift of each layer for Model Explorer.
void add_node_data(Parser& parser, std::string& file);

/// Writes the file if one is named.
Status write_node_data(const std::string& file, const std::vector<report::TensorDrift>& drifts);

}  // namespace edgeprobe::cli
