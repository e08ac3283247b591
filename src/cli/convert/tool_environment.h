// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A Python program of our package whose packages come from outside.
struct Tool {
  const char* package;  ///< Folder of its main.py beside child.py.
  const char* name;     ///< Of its requirements file.
  const char* what;
  const char* size;  ///< Of what is fetched.
};

/// The tool's main.py. kNotFound when our Python package is not installed.
Result<std::filesystem::path> tool_script(const Tool& tool);

/// The interpreter of the tool's environment, which is made under $XDG_CACHE_HOME/edgeprobe, with
/// pinned packages, when it is missing.
Result<std::string> environment(const Tool& tool, Terminal& terminal);

}  // namespace edgeprobe::cli
