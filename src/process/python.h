// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/descriptor.h"
#include "core/result.h"
#include "process/child.h"

/// The Python part of edgeprobe, and processes that serve a user's plug-in in Python.
namespace edgeprobe::process {

/// The folder of the Python package `edgeprobe`: installed with the program, in a wheel around it,
/// or in the checkout. kNotFound if the Python part is not installed.
Result<std::filesystem::path> python_package();

/// `given`, else $EDGEPROBE_PYTHON, else "python3".
std::string python_interpreter(const std::string& given);

/// The folder of an environment below `cache` (core/cache_folder.h) with the packages that
/// requirements-NAME.txt of a folder of the package pins; other versions get another folder. It
/// holds a file "ready" once it is complete. kNotFound if nothing is pinned under this name.
Result<std::filesystem::path> pinned_environment(const std::string& folder, const std::string& name,
                                                 const std::filesystem::path& cache);

/// How to start a process that serves a plug-in, and the pipe whose closing ends it.
struct PluginCommand {
  /// Starts python/edgeprobe/plugins/serve.py in its own process group. The caller adds the
  /// standard descriptors and kPluginSocket.
  Command command;
  /// Nothing is ever written to it. Once this process is gone, even by SIGKILL, the kernel kills
  /// the plug-in's process and all that it started.
  Descriptor lifeline;
  Descriptor theirs;  ///< The plug-in's end; close it when the process has started.
};

inline constexpr int kPluginSocket = 3, kPluginLifeline = 4;

/// `kind` is one that serve.py knows: "engine", "dataset", "metric".
Result<PluginCommand> plugin_command(const std::string& kind, const std::string& interpreter);

/// "the Python interpreter 'x' cannot be started: …", with the cure.
Error python_cannot_be_started(const std::string& interpreter, const std::string& why);

/// The innermost place in a Python traceback or a fatal error's report, as "in load, my.py line
/// 12";
/// "" if the text has none.
std::string python_place(const std::string& printed);

}  // namespace edgeprobe::process
