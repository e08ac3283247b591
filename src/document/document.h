// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

/// Texts in YAML and JSON as values.
namespace edgeprobe::document {

/// Largest text that is read, where a caller says no more.
inline constexpr std::size_t kMostBytes = 256'000;
/// Deepest nesting of lists and maps; a scenario has three levels, Kenning's have five.
inline constexpr std::size_t kDeepest = 16;

/// A place in a text, counted from 1.
struct Mark {
  int line = 1, column = 1;
};
std::string to_string(Mark mark);

/// A value of YAML or JSON. Scalars stay texts: what they are is decided by who reads them, so that
/// "no" and "1e3" are what was written.
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
  std::vector<Name> names;  ///< Of a map: as many as `items`, each once.
  std::vector<Node> items;

  /// The value of a map's key, or null.
  const Node* find(std::string_view name) const;
};

/// The one document of a text. Fails with kUsage and the place for what is not YAML, and for what
/// YAML has and no file of ours needs: anchors, aliases, tags, keys that stand twice, nesting
/// beyond kDeepest, several documents.
Result<Node> document_from_text(std::string_view text, std::size_t most_bytes = kMostBytes);

}  // namespace edgeprobe::document
