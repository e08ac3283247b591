// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A framework of the grid of conversions, or a file of the user's own that acts as one.
struct GridFramework {
  std::string name;     ///< As on the command line; of a file, its stem.
  std::string adapter;  ///< A built-in name, or the absolute path of a file.
  std::string python;   ///< Empty: none is here.
  std::string missing;  ///< Why none is here; empty if one is, or will be made.
};

/// The words of --frameworks and --importers.
std::vector<std::string> grid_frameworks();
std::vector<std::string> grid_importers();

/// The frameworks of the words of --frameworks (none: all), with the Pythons of --python
/// FRAMEWORK=PYTHON. kUsage for an unknown word, and for a framework asked for that cannot be here.
Result<std::vector<GridFramework>> frameworks_from(const std::vector<std::string>& words,
                                                   const std::vector<std::string>& pythons);

/// Makes the environments of frameworks that have pinned packages but no Python yet.
Status prepare(std::vector<GridFramework>& frameworks, Terminal& terminal);

}  // namespace edgeprobe::cli
