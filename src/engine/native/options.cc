// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "engine/native/library.h"

namespace edgeprobe::engine::native {
namespace {

using nlohmann::json;

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [at, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || at != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The value that a text of the option's type means; null if it means none. Ranges are not checked.
json value_of(std::uint32_t type, std::string_view text) {
  switch (type) {
    case EDGEPROBE_PLUGIN_BOOL: {
      const std::string word = lower_case(text);
      for (const char* const yes : {"true", "1", "yes", "on"})
        if (word == yes) return true;
      for (const char* const no : {"false", "0", "no", "off"})
        if (word == no) return false;
      return nullptr;
    }
    case EDGEPROBE_PLUGIN_INT:
      if (const auto whole = number_from<std::int64_t>(text)) return *whole;
      return nullptr;
    case EDGEPROBE_PLUGIN_FLOAT:
      if (const auto real = number_from<double>(text); real && std::isfinite(*real)) return *real;
      return nullptr;
    default: return std::string(text);
  }
}

const char* type_name(std::uint32_t type) {
  switch (type) {
    case EDGEPROBE_PLUGIN_BOOL: return "bool";
    case EDGEPROBE_PLUGIN_INT: return "int";
    case EDGEPROBE_PLUGIN_FLOAT: return "float";
    default: return "str";
  }
}

/// "a number of at least 0 and at most 100".
std::string wanted(const edgeprobe_plugin_option& option) {
  const auto kind = [&] {
    switch (option.type) {
      case EDGEPROBE_PLUGIN_BOOL: return "true or false";
      case EDGEPROBE_PLUGIN_INT: return "a whole number";
      case EDGEPROBE_PLUGIN_FLOAT: return "a number";
      default: return "a text";
    }
  };
  std::vector<std::string> bounds;
  if (option.least) bounds.push_back("at least " + sanitized(option.least, 40));
  if (option.most) bounds.push_back("at most " + sanitized(option.most, 40));
  return kind() + (bounds.empty() ? "" : " of " + joined(bounds, " and "));
}

/// The text as the library gets it; nothing if it does not suit the option.
std::optional<std::string> taken(const edgeprobe_plugin_option& option, std::string_view text) {
  const json value = value_of(option.type, text);
  if (value.is_null() || (option.least && value < value_of(option.type, option.least)) ||
      (option.most && value > value_of(option.type, option.most)))
    return std::nullopt;
  if (option.type == EDGEPROBE_PLUGIN_BOOL) return value.get<bool>() ? "true" : "false";
  return std::string(text);
}

}  // namespace

std::string fault_of(const edgeprobe_plugin_option& option) {
  const std::string_view name = option.name ? option.name : "";
  if (name.empty() || name.find_first_of("=&") != std::string_view::npos)
    return "an option with the name '" + sanitized(name, 60) + "'; expected one without = and &";
  const std::string label = "option '" + sanitized(name, 60) + "' ";
  if (option.type < EDGEPROBE_PLUGIN_BOOL || option.type > EDGEPROBE_PLUGIN_TEXT)
    return label + "of the unknown type " + std::to_string(option.type);
  const bool is_number =
      option.type == EDGEPROBE_PLUGIN_INT || option.type == EDGEPROBE_PLUGIN_FLOAT;
  for (const char* const bound : {option.least, option.most})
    if (bound && (!is_number || value_of(option.type, bound).is_null()))
      return label + "with the bound '" + sanitized(bound, 40) + "', which is not of its type";
  if (option.default_value && !taken(option, option.default_value))
    return label + "with the default '" + sanitized(option.default_value, 60) + "'; expected " +
           wanted(option);
  return "";
}

Result<std::vector<std::string>> option_values(const std::string& name,
                                               const std::vector<edgeprobe_plugin_option>& options,
                                               std::string_view text) {
  const auto wrong = [](std::string what) { return Error{ErrorKind::kUsage, std::move(what)}; };
  std::vector<std::optional<std::string>> given(options.size());
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0)
      return wrong("'" + sanitized(part, 100) +
                   "' is not an option; expected NAME=VALUE, with & between several");
    const std::string key(part.substr(0, equals));
    const std::string_view value = part.substr(equals + 1);
    std::vector<std::string> known;
    for (const edgeprobe_plugin_option& option : options) known.emplace_back(option.name);
    const auto found = std::find(known.begin(), known.end(), key);
    if (found == known.end()) {
      const std::string near = closest_match(key, known);
      std::vector<std::string> shown;
      for (const std::string& one : known) shown.push_back(sanitized(one, 60));
      return wrong(name + " has no option '" + sanitized(key, 60) + "'" +
                   (!near.empty()   ? "; did you mean '" + sanitized(near, 60) + "'?"
                    : known.empty() ? "; it has none"
                                    : "; it has " + joined(shown)));
    }
    const auto index = static_cast<std::size_t>(found - known.begin());
    if (given[index]) return wrong("option '" + sanitized(key, 60) + "' is given twice");
    given[index] = taken(options[index], value);
    if (!given[index])
      return wrong("option '" + sanitized(key, 60) + "' is '" + sanitized(value, 100) +
                   "'; expected " + wanted(options[index]));
  }
  std::vector<std::string> values;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const edgeprobe_plugin_option& option = options[i];
    if (!given[i] && !option.default_value)
      return wrong(name + " needs option '" + sanitized(option.name, 60) + "' (" + wanted(option) +
                   ")" + (option.help && *option.help ? ": " + sanitized(option.help, 200) : ""));
    // A default may be "yes" for true.
    values.push_back(given[i] ? *given[i] : *taken(option, option.default_value));
  }
  return values;
}

namespace {

template <class Table>
std::string json_of(const Opened<Table>& library, const char* kind, const json& formats) {
  json options = json::array();
  for (const edgeprobe_plugin_option& option : library.options) {
    json row{{"name", option.name},
             {"type", type_name(option.type)},
             {"required", !option.default_value},
             {"help", option.help ? option.help : ""}};
    if (option.default_value) row["default"] = value_of(option.type, option.default_value);
    if (option.least) row["least"] = value_of(option.type, option.least);
    if (option.most) row["most"] = value_of(option.type, option.most);
    options.push_back(std::move(row));
  }
  return json{{"kind", kind},
              {"name", library.name()},
              {"version", library.version()},
              {"file", library.file.path().string()},
              {"help", library.table.help ? library.table.help : ""},
              {"formats", formats},
              {"options", options}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Result<std::string> described(const std::filesystem::path& path) {
  auto library = open_library(path);
  if (!library)
    if (const auto data = open_data_library(path)) return json_of(*data, "dataset", json::array());
  if (!library) return std::move(library).error();
  const edgeprobe_plugin_engine& table = library->table;
  return json_of(*library, "engine",
                 std::vector<std::string>(table.formats, table.formats + table.format_count));
}

}  // namespace edgeprobe::engine::native
