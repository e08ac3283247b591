// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "document/document.h"

namespace edgeprobe::family {

/// A value of the file with its key for messages: "ANYNET.WIDTHS[2]".
struct Value {
  const document::Node* node = nullptr;
  std::string key;
  const std::string* label = nullptr;  ///< The file.

  bool is_list() const { return node->kind == document::Node::Kind::kList; }
  bool is_map() const { return node->kind == document::Node::Kind::kMap; }
  /// An element of a list.
  Value item(std::size_t index) const;
  /// A value of a map; `node` is null if absent.
  Value find(const std::string& name) const;
  explicit operator bool() const { return node != nullptr; }
};

/// kUsage: "FILE:LINE: KEY: SENTENCE".
Error wrong(const Value& value, const std::string& sentence);
std::string place(const Value& value);  ///< "FILE:LINE: KEY".

Result<std::int64_t> whole_number(const Value& value, std::int64_t least, std::int64_t most);
Result<double> real_number(const Value& value, double least, double most);
Result<bool> flag(const Value& value);
Result<std::string> word(const Value& value);
/// Position of the value in `words`; names the nearest one for another text.
Result<std::size_t> one_of(const Value& value, const std::vector<std::string>& words);
/// kUsage unless it is a map with only these keys; names the nearest one.
Status check_keys(const Value& map, const std::vector<std::string>& known);

}  // namespace edgeprobe::family
