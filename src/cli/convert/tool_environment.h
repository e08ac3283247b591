// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A Python program of our package that needs external packages.
struct Tool {
  const char* package;  ///< Folder of its main.py next to child.py.
  const char* name;     ///< Name of its requirements file.
  const char* what;
  const char* size;  ///< Size of the download.
};

/// The tool's main.py. kNotFound if our Python package is not installed.
Result<std::filesystem::path> tool_script(const Tool& tool);

/// The interpreter of the tool's environment, which is created under $XDG_CACHE_HOME/edgeprobe,
/// with pinned packages, if missing.
Result<std::string> environment(const Tool& tool, Terminal& terminal);

}  // namespace edgeprobe::cli
