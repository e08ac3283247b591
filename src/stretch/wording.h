// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/text.h"

/// Phrases for messages about plans.
namespace edgeprobe::stretch {

/// "pieces[3]"
inline std::string item(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

inline Error wrong(const std::string& place, const std::string& what) {
  return {ErrorKind::kUsage, place + ": " + what};
}

/// "; did you mean 'head'?", or empty if no known word is close.
inline std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = closest_match(word, known);
  return near.empty() ? "" : "; did you mean " + in_quotes(near) + "?";
}

}  // namespace edgeprobe::stretch
