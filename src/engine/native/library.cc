// SPDX-License-Identifier: Apache-2.0
#include "engine/native/library.h"

#include "core/text.h"
#include "engine/native/abi.h"

namespace edgeprobe::engine::native {
namespace {

using Entry = const edgeprobe_plugin_engine*(std::uint32_t version);
constexpr const char* kEntry = "edgeprobe_plugin";

/// Bytes of the first table of this version, which ended with destroy().
constexpr std::size_t kFirstTable = offsetof(edgeprobe_plugin_engine, open);

std::string too_small(const std::string& what, std::size_t size, std::size_t least) {
  return "has " + what + " of " + std::to_string(size) + " bytes; version " +
         std::to_string(EDGEPROBE_PLUGIN_VERSION) + " of edgeprobe_plugin.h has at least " +
         std::to_string(least);
}

/// The first fault of the table, or "".
std::string lack_of(const edgeprobe_plugin_engine& table) {
  if (table.version != EDGEPROBE_PLUGIN_VERSION)
    return "is of version " + std::to_string(table.version) +
           " of edgeprobe_plugin.h; this edgeprobe opens version " +
           std::to_string(EDGEPROBE_PLUGIN_VERSION);
  std::vector<std::string> missing;
  if (!table.name) missing.emplace_back("name");
  if (!table.engine_version) missing.emplace_back("engine_version");
  if (!table.load) missing.emplace_back("load");
  if (!table.run) missing.emplace_back("run");
  if (!table.destroy) missing.emplace_back("destroy");
  if (table.format_count > 0 && !table.formats) missing.emplace_back("formats");
  if (table.option_count > 0 && !table.options) missing.emplace_back("options");
  if (!missing.empty()) return "has a table without " + listed(missing);
  for (std::size_t i = 0; i < table.format_count; ++i)
    if (!table.formats[i]) return "has no text for format " + std::to_string(i);
  return "";
}

/// Adds the options of the table; returns the first fault, or "".
std::string read_options(Library& library) {
  for (std::size_t i = 0; i < library.table.option_count; ++i) {
    const auto* const given = element(library.table.options, i);
    const auto option = known_of(given);
    if (!option)
      return too_small("option " + std::to_string(i), stated_size(given), sizeof *option);
    if (const std::string fault = fault_of(*option); !fault.empty()) return "has " + fault;
    for (const edgeprobe_plugin_option& other : library.options)
      if (std::string_view(option->name) == other.name)
        return "has two options '" + sanitized(option->name, 60) + "'";
    library.options.push_back(*option);
  }
  return "";
}

}  // namespace

Choice split(std::string_view text) {
  const std::size_t end = text.find('?');
  return {std::filesystem::path(text.substr(0, end)),
          end == std::string_view::npos ? "" : text.substr(end + 1)};
}

std::string Library::name() const { return sanitized(table.name, 60); }

std::string Library::version() const {
  const std::string version = sanitized(table.engine_version, 60);
  return version.empty() ? "of no version" : version;
}

Result<Library> open_library(const std::filesystem::path& path) {
  EP_TRY(auto file, SharedLibrary::open(path));
  const std::string label = "library '" + sanitized(path.string(), 300) + "' ";
  auto* const entry = reinterpret_cast<Entry*>(file.symbol(kEntry));
  if (!entry)
    return Error{ErrorKind::kUsage, label + "is not a plug-in: it does not export " + kEntry +
                                        "() of edgeprobe_plugin.h"};
  const edgeprobe_plugin_engine* const table = entry(EDGEPROBE_PLUGIN_VERSION);
  if (!table)
    return Error{ErrorKind::kUsage, label + "does not offer version " +
                                        std::to_string(EDGEPROBE_PLUGIN_VERSION) +
                                        " of edgeprobe_plugin.h, which this edgeprobe opens"};
  const auto known = known_of(table, kFirstTable);
  if (!known)
    return Error{ErrorKind::kUsage, label + too_small("a table", stated_size(table), kFirstTable)};
  Library library{std::move(file), *known, {}};
  std::string lack = lack_of(library.table);
  if (lack.empty()) lack = read_options(library);
  if (!lack.empty()) return Error{ErrorKind::kUsage, label + lack};
  return library;
}

}  // namespace edgeprobe::engine::native
