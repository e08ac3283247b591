// SPDX-License-Identifier: Apache-2.0
#include "engine/plugin.h"

#include <algorithm>

#include "core/text.h"

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

Result<std::unique_ptr<Engine>> open_plugin_in_process(const std::filesystem::path& plugin) {
  return Error{ErrorKind::kUnsupported,
               "plug-in '" + sanitized(plugin.string(), 300) +
                   "' is in Python and runs only in a process of its own, so not as a processor of "
                   "a plan"};
}

}  // namespace edgeprobe::engine
