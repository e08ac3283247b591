// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

/// YAML and JSON texts as values.
namespace edgeprobe::document {

/// Default limit on the size of a text.
inline constexpr std::size_t kMostBytes = 256'000;
/// Maximum nesting of lists and maps; a scenario has three levels, Kenning's have five.
inline constexpr std::size_t kDeepest = 16;

/// A position in a text, counted from 1.
struct Mark {
  int line = 1, column = 1;
};
std::string to_string(Mark mark);

/// A value of YAML or JSON. Scalars stay texts: their readers interpret them, so that "no" and
/// "1e3" keep their original form.
struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Name {
    std::string text;
    Mark mark;
  };
  Kind kind = Kind::kNull;
  std::string text;
  bool quoted = false;
  Mark mark;
  std::vector<Name> names;  ///< The keys of a map: one for each of `items`, without duplicates.
  std::vector<Node> items;

  /// The value of a map's key, or null.
  const Node* find(std::string_view name) const;
};

/// Parses a text with a single document. kUsage with the position for invalid YAML, and for
/// features that our files do not use: anchors, aliases, tags, duplicate keys, nesting beyond
/// kDeepest, several documents.
Result<Node> document_from_text(std::string_view text, std::size_t most_bytes = kMostBytes);

}  // namespace edgeprobe::document
