// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace edgeprobe::scenario {
namespace {

using nlohmann::ordered_json;

bool is_plain(const Key& key) {
  return key.form == Form::kWhole || key.form == Form::kNumber || key.form == Form::kSwitch;
}

/// Words that some YAML readers take for a boolean or null.
bool is_other_in_yaml(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const char* const word : {"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
    if (lower == word) return true;
  return false;
}

/// Words that every YAML reader takes for text are unquoted; others become JSON strings, which are
/// YAML.
std::string scalar(const Key& key, const std::string& text) {
  constexpr std::string_view kSafe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+";
  const bool begins_as_word =
      text[0] == '/' || text[0] == '.' || std::isalpha(static_cast<unsigned char>(text[0])) != 0;
  const bool is_word = begins_as_word && text.find_first_not_of(kSafe) == std::string::npos;
  if (is_plain(key) || (is_word && !is_other_in_yaml(text))) return text;
  return ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string values(const Setting& setting) {
  if (setting.values.size() == 1) return scalar(*setting.key, setting.values.front());
  std::string list;
  for (const std::string& one : setting.values)
    list += (list.empty() ? "" : ", ") + scalar(*setting.key, one);
  return "[" + list + "]";
}

ordered_json json_scalar(const Key& key, const std::string& text) {
  if (key.form == Form::kSwitch) return text == "true";
  if (key.form == Form::kWhole) return std::strtoull(text.c_str(), nullptr, 10);
  // As in the text: 5, not 5.0.
  if (key.form == Form::kNumber) return ordered_json::parse(text, nullptr, false);
  return text;
}

}  // namespace

std::string to_yaml(const Scenario& scenario) {
  std::string text = "kind: " + std::string(name(scenario.kind)) + "\n";
  std::string_view block;
  for (const Setting& setting : scenario.settings) {
    if (!*setting.key->name) {
      text += std::string(setting.key->block) + ": " + values(setting) + "\n";
      continue;
    }
    if (block != setting.key->block) text += std::string(setting.key->block) + ":\n";
    block = setting.key->block;
    text += "  " + std::string(setting.key->name) + ": " + values(setting) + "\n";
  }
  return text;
}

std::string to_json(const Scenario& scenario) {
  ordered_json json{{"kind", name(scenario.kind)}};
  for (const Setting& setting : scenario.settings) {
    ordered_json value;
    if (setting.values.size() == 1) value = json_scalar(*setting.key, setting.values.front());
    else
      for (const std::string& one : setting.values) value.push_back(json_scalar(*setting.key, one));
    if (*setting.key->name) json[setting.key->block][setting.key->name] = value;
    else json[setting.key->block] = value;
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace edgeprobe::scenario
