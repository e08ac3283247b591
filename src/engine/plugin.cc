// SPDX-License-Identifier: Apache-2.0
#include "engine/plugin.h"

#include <algorithm>
#include <cstdlib>

#include "core/cache_folder.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::engine {

const std::vector<std::string>& own_plugins() {
  static const std::vector<std::string> names{"executorch", "keras",   "mnn",
                                              "ncnn",       "sklearn", "torch"};
  return names;
}

bool is_plugin_text(std::string_view text) {
  const std::string_view what = text.substr(0, text.find('?'));
  const auto& own = own_plugins();
  return what.find(".py:") != std::string_view::npos ||
         std::find(own.begin(), own.end(), what) != own.end();
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
