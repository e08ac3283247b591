// SPDX-License-Identifier: Apache-2.0
#include "engine/plugin_name.h"

#include <algorithm>

#include "core/text.h"
#include "engine/kinds.h"

namespace edgeprobe::engine {

Status check_plugin_name(const std::string& name, const std::filesystem::path& plugin) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  constexpr std::size_t kLongest = 40;
  const std::string label = "plug-in '" + sanitized(plugin.string(), 300) + "'";
  if (name.empty() || name.size() > kLongest || !std::all_of(name.begin(), name.end(), plain))
    return Error{ErrorKind::kUsage, label + " has the name '" + sanitized(name, 60) +
                                        "'; expected at most 40 small letters, digits, - and _"};
  if (find_kind(name))
    return Error{ErrorKind::kUsage,
                 label + " has the name '" + name + "' of a built-in engine; give it another one"};
  return {};
}

}  // namespace edgeprobe::engine
