// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/stretch_flags.h"
#include "cli/options/parser.h"
#include "core/result.h"
#include "family/network.h"
#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::cli {

/// Flags of verbs that make a network of a configuration.
struct NetworkFlags {
  int size = 0, classes = 0;  ///< 0: those of the file.
  double most_gmacs = 10;
  std::string adapters = "branched";  ///< Or "all".
};
/// All of them, and all but --classes, which verbs with data use for the names of classes.
void add_network(Parser& parser, NetworkFlags& flags);
void add_size(Parser& parser, NetworkFlags& flags);

Result<family::Network> network_of(const std::filesystem::path& file, const NetworkFlags& flags);

/// The file, or the .yaml and .yml files of a folder and its subfolders, in alphabetical order.
/// kUsage if there is none.
Result<std::vector<std::filesystem::path>> configurations_of(const std::filesystem::path& path);

/// Where the network's processors run on this machine: with --device those of the same name
/// (kUsage if one is missing), else the machine's CPUs in turn.
Result<std::vector<stretch::Processor>> processors_of(const family::Network& network,
                                                      const ProcessorFlags& flags,
                                                      const model::Graph& graph);

}  // namespace edgeprobe::cli
