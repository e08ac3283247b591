// SPDX-License-Identifier: Apache-2.0
#include "engine/plugin.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include "core/cache_folder.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::engine {

namespace {

/// A plug-in of edgeprobe itself, and the files that only it opens; as in
/// python/edgeprobe/plugins/own.py, which a test compares.
struct OwnPlugin {
  const char* name;
  std::initializer_list<std::string_view> extensions;
};
const OwnPlugin kOwn[] = {{"executorch", {".pte"}},
                          {"jax", {".jax_exported", ".jaxexport", ".jax"}},
                          {"keras", {".keras", ".h5", ".pb"}},
                          {"mnn", {".mnn"}},
                          {"ncnn", {".param"}},
                          {"sklearn", {".pkl", ".joblib"}},
                          {"torch", {".pt2", ".pt", ".ts"}}};

}  // namespace

const std::vector<std::string>& own_plugins() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const OwnPlugin& plugin : kOwn) all.emplace_back(plugin.name);
    return all;
  }();
  return names;
}

std::string own_plugin_for(const std::filesystem::path& model) {
  const std::string extension = model.extension().string();
  for (const OwnPlugin& plugin : kOwn)
    if (std::find(plugin.extensions.begin(), plugin.extensions.end(), extension) !=
        plugin.extensions.end())
      return plugin.name;
  return "";
}

bool names_class(std::string_view text) {
  const std::string_view what = text.substr(0, text.find('?'));
  return what.starts_with("python:") || what.find(".py:") != std::string_view::npos;
}

bool is_plugin_text(std::string_view text) {
  const std::string_view what = text.substr(0, text.find('?'));
  const auto& own = own_plugins();
  return is_class_in_file(text) || std::find(own.begin(), own.end(), what) != own.end();
}

bool is_class_in_file(std::string_view text) {
  return text.substr(0, text.find('?')).find(".py:") != std::string_view::npos;
}

std::filesystem::path fetched_python(const std::string& plugin) {
  const auto cache = cache_folder();
  if (!cache) return {};
  const auto folder = process::pinned_environment("engines", plugin, *cache);
  std::error_code ignored;
  if (!folder || !std::filesystem::exists(*folder / "ready", ignored)) return {};
  return check_private(*cache, "") && check_private(*folder, "") ? *folder / "bin" / "python"
                                                                 : std::filesystem::path();
}

std::string plugin_python(const EngineChoice& choice) {
  const char* const named = std::getenv("EDGEPROBE_PYTHON");
  if (!choice.python.empty() || (named && *named)) return choice.python;
  const std::string text = choice.library.string();
  const std::string name = text.substr(0, text.find('?'));
  const auto& own = own_plugins();
  if (std::find(own.begin(), own.end(), name) == own.end()) return "";
  return fetched_python(name).string();
}

Result<std::unique_ptr<Engine>> open_plugin_in_process(const std::filesystem::path& plugin) {
  return Error{ErrorKind::kUnsupported,
               "plug-in '" + sanitized(plugin.string(), 300) +
                   "' is in Python and runs only in a process of its own, so not as a processor of "
                   "a plan"};
}

}  // namespace edgeprobe::engine
