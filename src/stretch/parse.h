// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/text.h"

namespace edgeprobe::stretch {

/// Path of a member, "pieces[3].name".
inline std::string join(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}
inline std::string join(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}
inline std::string sentence(const std::string& place, const std::string& what) {
  return place.empty() ? what : sanitized(place, 200) + ": " + what;
}

/// Parses JSON, with keys in the order of the text. kUsage, with the place, for invalid JSON, for
/// duplicate keys in an object and for nesting beyond 32 levels; kLimit for an object with more
/// than 10,000 keys.
Result<nlohmann::ordered_json> parse_json(std::string_view text);

}  // namespace edgeprobe::stretch
