// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::testing {

struct FlatNode;
using Node = std::shared_ptr<FlatNode>;

/// A table (fields by number), a vector of scalars, or a vector of tables. A node that is used
/// twice is written once.
struct FlatNode {
  std::map<int, Bytes> scalars;
  std::map<int, Node> children;
  Bytes elements;                ///< Vector of scalars.
  std::vector<Node> tables;      ///< Vector of tables.
  std::size_t element_size = 0;  ///< 0: a table. Else the alignment and size of the elements.
  std::int64_t claimed = -1;     ///< Number of elements to write instead of the true one.

  template <class T>
  FlatNode& scalar(int field, T value) {
    Bytes bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    scalars[field] = bytes;
    return *this;
  }
  FlatNode& child(int field, Node node) {
    children[field] = std::move(node);
    return *this;
  }
};

Node flat_table();
Node flat_vector(std::vector<Node> tables);
Node flat_text(std::string_view text);
template <class T>
Node flat_numbers(const std::vector<T>& values) {
  auto node = std::make_shared<FlatNode>();
  node->element_size = sizeof(T);
  node->elements.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(node->elements.data(), values.data(), node->elements.size());
  return node;
}

/// The file: root offset, identifier, then every node after those that refer to it.
Bytes flat_file(const Node& root, std::string_view identifier = "TFL3");

}  // namespace edgeprobe::testing
