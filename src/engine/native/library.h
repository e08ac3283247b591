// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "edgeprobe_plugin.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "engine/engine.h"
#include "engine/shared_library.h"

/// Engines that are shared libraries of the user's own, with the C ABI of edgeprobe_plugin.h. Only
/// an engine process opens them.
namespace edgeprobe::engine::native {

/// Splits the text of a choice, "LIBRARY" or "LIBRARY?OPTION=VALUE&OPTION=VALUE". The library's
/// path contains no question mark.
struct Choice {
  std::filesystem::path library;
  std::string_view options;
};
Choice split(std::string_view text);

/// An opened library whose table is complete and consistent.
template <class Table>
struct Opened {
  SharedLibrary file;
  Table table;  ///< The members that this program knows.
  std::vector<edgeprobe_plugin_option> options;

  std::string name() const;     ///< Sanitized.
  std::string version() const;  ///< Sanitized; "of no version" if it is empty.
};
using Library = Opened<edgeprobe_plugin_engine>;
using DataLibrary = Opened<edgeprobe_plugin_dataset>;

/// Fails like SharedLibrary::open(), and with kUsage for a library without the symbol, of another
/// ABI, or with a table that lacks something.
Result<Library> open_library(const std::filesystem::path& path);
Result<DataLibrary> open_data_library(const std::filesystem::path& path);

/// Starts the library's engine, which traces then show under this identity; its abilities are
/// added. `options` as in a choice. Fails like option_values(), and as the library says.
Result<std::unique_ptr<Engine>> start(Library library, std::string_view options,
                                      EngineIdentity identity);

/// The text of each option, in the order of the table: the user's value or the default, checked for
/// type and range. kUsage for text of another form, an unknown option and a missing one.
Result<std::vector<std::string>> option_values(const std::string& name,
                                               const std::vector<edgeprobe_plugin_option>& options,
                                               std::string_view text);
/// Why the texts of an option's own row are invalid; "" if they are not.
std::string fault_of(const edgeprobe_plugin_option& option);

/// Name, version, help, formats and options as JSON with the keys of
/// python/edgeprobe/plugins/describe.py, and "name" and "version". Of the library's engine, or else
/// its data set. Fails like open_library().
Result<std::string> described(const std::filesystem::path& library);

/// Loads a model with these texts of the library's options.
Result<std::unique_ptr<Session>> load_session(const Library& library,
                                              const std::vector<std::string>& values,
                                              ByteView model, std::string_view label,
                                              const SessionOptions& options);

}  // namespace edgeprobe::engine::native
