// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"

/// Engines that are plug-ins in Python: a process of their own serves them, with the messages of
/// engine/wire.h. Plug-ins that are libraries: engine/native/.
/// The text of a plug-in is FILE.py:CLASS or NAME, then optionally ?OPTION=VALUE and
/// further options after &.
namespace edgeprobe::engine {

/// The plug-ins that edgeprobe contains, by name: python/edgeprobe/engines.
const std::vector<std::string>& own_plugins();

/// The one that opens files with this extension; "" if there is none.
std::string own_plugin_for(const std::filesystem::path& model);

/// True for FILE.py:CLASS and python:NAME, each with an optional ?OPTION=VALUE: plug-ins of all
/// kinds.
bool names_class(std::string_view text);

/// True for the text of a plug-in without the prefix "python:": FILE.py:CLASS, or one of
/// own_plugins().
bool is_plugin_text(std::string_view text);
/// True for FILE.py:CLASS, also with options.
bool is_class_in_file(std::string_view text);

/// The Python for a plug-in: the one that the choice names, $EDGEPROBE_PYTHON, or for one of
/// own_plugins() the environment that `edgeprobe fetch` made, if it is complete; else "".
std::string plugin_python(const EngineChoice& choice);
/// That environment's Python; empty if there is none.
std::filesystem::path fetched_python(const std::string& plugin);

/// Fails with kUnsupported: a plug-in runs only in a process of its own.
Result<std::unique_ptr<Engine>> open_plugin_in_process(const std::filesystem::path& plugin);

}  // namespace edgeprobe::engine
