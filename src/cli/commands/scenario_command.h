// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe scenario run FILE`: the verbs that the file describes, one after the other.
struct ScenarioRunArgs {
  std::string file;
  /// Flag of the command line and its value; a later one wins.
  std::vector<std::pair<std::string, std::string>> overrides;
  std::vector<std::string> set;  ///< "BLOCK.KEY=VALUE".
  bool force = false, dry_run = false;
  JsonFlag json;
};
/// The gravest of what the verbs found; the first failure ends it, and what was done is kept.
Result<Outcome> run(const ScenarioRunArgs& args, Terminal& terminal);

/// `edgeprobe scenario from-command '…'`: our file for what Kenning was asked for.
struct ScenarioFromArgs {
  std::string command;  ///< A command line, or a scenario file of Kenning.
  std::string out;      ///< The file to write; empty: standard output.
  bool force = false;
  JsonFlag json;
};
Result<Outcome> run(const ScenarioFromArgs& args, Terminal& terminal);

/// `edgeprobe scenario schema`: the JSON schema of such files.
struct ScenarioSchemaArgs {};
Result<Outcome> run(const ScenarioSchemaArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
