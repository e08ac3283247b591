// SPDX-License-Identifier: Apache-2.0
#include "engine/native/library.h"

#include "core/text.h"

namespace edgeprobe::engine::native {
namespace {

using Entry = const edgeprobe_plugin_engine*(std::uint32_t version);
constexpr const char* kEntry = "edgeprobe_plugin";

/// The first fault of the table, or "". Texts and arrays that it points to are read, so its size
/// and version come first.
std::string lack_of(const edgeprobe_plugin_engine& table) {
  if (table.struct_size != sizeof table)
    return "has a table of " + std::to_string(table.struct_size) + " bytes; version " +
           std::to_string(EDGEPROBE_PLUGIN_VERSION) + " of edgeprobe_plugin.h has one of " +
           std::to_string(sizeof table);
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
  for (std::size_t i = 0; i < table.option_count; ++i) {
    const edgeprobe_plugin_option& option = table.options[i];
    if (option.struct_size != sizeof option)
      return "has option " + std::to_string(i) + " of " + std::to_string(option.struct_size) +
             " bytes; version " + std::to_string(EDGEPROBE_PLUGIN_VERSION) +
             " of edgeprobe_plugin.h has options of " + std::to_string(sizeof option);
    if (const std::string fault = fault_of(option); !fault.empty()) return "has " + fault;
    for (std::size_t j = 0; j < i; ++j)
      if (std::string_view(option.name) == table.options[j].name)
        return "has two options '" + sanitized(option.name, 60) + "'";
  }
  return "";
}

}  // namespace

Choice split(std::string_view text) {
  const std::size_t end = text.find('?');
  return {std::filesystem::path(text.substr(0, end)),
          end == std::string_view::npos ? "" : text.substr(end + 1)};
}

std::string Library::name() const { return sanitized(table->name, 60); }

std::string Library::version() const {
  const std::string version = sanitized(table->engine_version, 60);
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
  if (const std::string lack = lack_of(*table); !lack.empty())
    return Error{ErrorKind::kUsage, label + lack};
  return Library{std::move(file), table};
}

}  // namespace edgeprobe::engine::native
