// SPDX-License-Identifier: Apache-2.0
#include "engine/native/library.h"

#include "core/text.h"
#include "engine/native/abi.h"

namespace edgeprobe::engine::native {
namespace {

/// The symbol of a table, and the bytes of the first one of this version.
template <class Table>
struct Entry;
template <>
struct Entry<edgeprobe_plugin_engine> {
  static constexpr const char* kSymbol = "edgeprobe_plugin";
  static constexpr std::size_t kLeast = offsetof(edgeprobe_plugin_engine, open);
};
template <>
struct Entry<edgeprobe_plugin_dataset> {
  static constexpr const char* kSymbol = "edgeprobe_plugin_data";
  static constexpr std::size_t kLeast = sizeof(edgeprobe_plugin_dataset);
};

const char* version_of(const edgeprobe_plugin_engine& table) { return table.engine_version; }
const char* version_of(const edgeprobe_plugin_dataset& table) { return table.dataset_version; }

std::string too_small(const std::string& what, std::size_t size, std::size_t least) {
  return "has " + what + " of " + std::to_string(size) + " bytes; version " +
         std::to_string(EDGEPROBE_PLUGIN_VERSION) + " of edgeprobe_plugin.h has at least " +
         std::to_string(least);
}

std::vector<std::string> missing_in(const edgeprobe_plugin_engine& table) {
  std::vector<std::string> missing;
  if (!table.engine_version) missing.emplace_back("engine_version");
  if (!table.load) missing.emplace_back("load");
  if (!table.run) missing.emplace_back("run");
  if (!table.destroy) missing.emplace_back("destroy");
  if (table.format_count > 0 && !table.formats) missing.emplace_back("formats");
  for (std::size_t i = 0; missing.empty() && i < table.format_count; ++i)
    if (!table.formats[i]) missing.push_back("format " + std::to_string(i));
  return missing;
}

std::vector<std::string> missing_in(const edgeprobe_plugin_dataset& table) {
  std::vector<std::string> missing;
  if (!table.dataset_version) missing.emplace_back("dataset_version");
  if (!table.open) missing.emplace_back("open");
  if (!table.sample) missing.emplace_back("sample");
  if (!table.load) missing.emplace_back("load");
  if (!table.close) missing.emplace_back("close");
  return missing;
}

/// The first fault of the table, or "".
template <class Table>
std::string lack_of(const Table& table) {
  if (table.version != EDGEPROBE_PLUGIN_VERSION)
    return "is of version " + std::to_string(table.version) +
           " of edgeprobe_plugin.h; this edgeprobe opens version " +
           std::to_string(EDGEPROBE_PLUGIN_VERSION);
  std::vector<std::string> missing = missing_in(table);
  if (!table.name) missing.insert(missing.begin(), "name");
  if (table.option_count > 0 && !table.options) missing.emplace_back("options");
  return missing.empty() ? "" : "has a table without " + listed(missing);
}

/// Adds the options of the table; returns the first fault, or "".
template <class Table>
std::string read_options(Opened<Table>& library) {
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

template <class Table>
Result<Opened<Table>> opened(const std::filesystem::path& path) {
  EP_TRY(auto file, SharedLibrary::open(path));
  const std::string label = "library '" + sanitized(path.string(), 300) + "' ";
  using Function = const Table*(std::uint32_t version);
  auto* const entry = reinterpret_cast<Function*>(file.symbol(Entry<Table>::kSymbol));
  if (!entry)
    return Error{ErrorKind::kUsage, label + "is not a plug-in: it does not export " +
                                        Entry<Table>::kSymbol + "() of edgeprobe_plugin.h"};
  const Table* const table = entry(EDGEPROBE_PLUGIN_VERSION);
  if (!table)
    return Error{ErrorKind::kUsage, label + "does not offer version " +
                                        std::to_string(EDGEPROBE_PLUGIN_VERSION) +
                                        " of edgeprobe_plugin.h, which this edgeprobe opens"};
  const auto known = known_of(table, Entry<Table>::kLeast);
  if (!known)
    return Error{ErrorKind::kUsage,
                 label + too_small("a table", stated_size(table), Entry<Table>::kLeast)};
  Opened<Table> library{std::move(file), *known, {}};
  std::string lack = lack_of(library.table);
  if (lack.empty()) lack = read_options(library);
  if (!lack.empty()) return Error{ErrorKind::kUsage, label + lack};
  return library;
}

}  // namespace

Choice split(std::string_view text) {
  const std::size_t end = text.find('?');
  return {std::filesystem::path(text.substr(0, end)),
          end == std::string_view::npos ? "" : text.substr(end + 1)};
}

template <class Table>
std::string Opened<Table>::name() const {
  return sanitized(table.name, 60);
}

template <class Table>
std::string Opened<Table>::version() const {
  const std::string version = sanitized(version_of(table), 60);
  return version.empty() ? "of no version" : version;
}

template struct Opened<edgeprobe_plugin_engine>;
template struct Opened<edgeprobe_plugin_dataset>;

Result<Library> open_library(const std::filesystem::path& path) {
  return opened<edgeprobe_plugin_engine>(path);
}

Result<DataLibrary> open_data_library(const std::filesystem::path& path) {
  return opened<edgeprobe_plugin_dataset>(path);
}

}  // namespace edgeprobe::engine::native
