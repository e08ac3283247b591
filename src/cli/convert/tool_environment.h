// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A Python program of our package that needs external packages.
struct Tool {
  const char* package;  ///< Its folder in the package.
  const char* name;     ///< Name of its requirements file.
  const char* what;
  const char* size;  ///< Size of the download.
};

/// The tool's main.py. kNotFound if our Python package is not installed.
Result<std::filesystem::path> tool_script(const Tool& tool);

/// The interpreter of the tool's environment (process::pinned_environment()), which is created with
/// pinned packages if missing.
Result<std::string> environment(const Tool& tool, Terminal& terminal);

}  // namespace edgeprobe::cli
