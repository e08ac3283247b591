// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <algorithm>
#include <system_error>

#include "engine/plugin.h"

namespace edgeprobe::scenario {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

/// An absolute path is unchanged.
std::string under(const fs::path& folder, const std::string& path) {
  return (folder / path).string();
}

/// "NAME: file.recipe" is the recipe for one of several inputs.
std::string recipe_below(const fs::path& folder, const std::string& text) {
  if (is_there(folder / text)) return under(folder, text);
  const std::size_t colon = text.rfind(": ");
  if (colon == std::string::npos) return text;
  const std::string file = text.substr(colon + 2);
  return is_there(folder / file) ? text.substr(0, colon + 2) + under(folder, file) : text;
}

std::string engine_below(const fs::path& folder, const std::string& text) {
  // The file of a plug-in; one of edgeprobe itself has no colon.
  if (engine::is_plugin_text(text))
    return engine::is_class_in_file(text) ? under(folder, text) : text;
  const std::size_t colon = text.find(':');
  // The loader looks up a bare library name.
  if (colon == std::string::npos || text.find('/', colon) == std::string::npos) return text;
  return text.substr(0, colon + 1) + under(folder, text.substr(colon + 1));
}

/// FILE.py:FUNCTION, or a file; anything else is a command.
std::string function_below(const fs::path& folder, const std::string& text) {
  const std::size_t python = text.rfind(".py:");
  return is_there(folder / text) || python != std::string::npos ? under(folder, text) : text;
}

/// "tls://HOST:PORT?cert=host.pem&ca=ca.pem": the files in an address.
std::string address_below(const fs::path& folder, const std::string& text) {
  std::size_t at = text.find('?');
  std::string done = text.substr(0, at);
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('&', at + 1), text.size());
    const std::string one = text.substr(at, end - at);  // Including its '?' or '&'.
    const std::size_t equals = one.find('=');
    const std::string key = equals == std::string::npos ? "" : one.substr(1, equals - 1);
    const bool is_file = key == "cert" || key == "key" || key == "ca";
    done += is_file ? one.substr(0, equals + 1) + under(folder, one.substr(equals + 1)) : one;
    at = end;
  }
  return done;
}

}  // namespace

namespace {

/// True for a value of a path's key that is not a path.
bool is_word(const Key& key, const std::string& value) {
  if (&key == find_key("dataset", "data") || &key == find_key("report", "metric"))
    return value.starts_with("python:");
  return &key == find_key("dataset", "labels") && value == "folders";
}

/// The folder of "LAYOUT:FOLDER?OPTION=VALUE"; a folder before the colon makes it a path.
std::string data_below(const fs::path& folder, const std::string& value) {
  const std::size_t end = value.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 0);
  if (end == std::string::npos || end == 0 || value[end] != ':') return under(folder, value);
  const std::string rest = value.substr(end + 1);
  return rest.empty() || rest.front() == '?' ? value
                                             : value.substr(0, end + 1) + under(folder, rest);
}

}  // namespace

Scenario below(Scenario scenario, const fs::path& folder) {
  for (Setting& setting : scenario.settings)
    for (std::string& value : setting.values) switch (setting.key->form) {
        case Form::kPath:
          if (!is_word(*setting.key, value))
            value = setting.key == find_key("dataset", "data") ? data_below(folder, value)
                                                               : under(folder, value);
          break;
        // The loader looks up a library without a slash unless the file exists.
        case Form::kPaths:
          if (value.find('/') != std::string::npos || is_there(folder / value))
            value = under(folder, value);
          break;
        case Form::kRecipe: value = recipe_below(folder, value); break;
        case Form::kEngine: value = engine_below(folder, value); break;
        case Form::kCompiler:
          if (value.find(".py:") != std::string::npos) value = under(folder, value);
          break;
        case Form::kAddress: value = address_below(folder, value); break;
        case Form::kFunction: value = function_below(folder, value); break;
        default: break;
      }
  return scenario;
}

}  // namespace edgeprobe::scenario
