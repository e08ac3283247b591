// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Writes protobuf messages field by field, so that tests can break any of them.
namespace edgeprobe::model::testing {

inline std::string varint(std::uint64_t value) {
  std::string made;
  for (; value >= 0x80; value >>= 7) made += static_cast<char>(value | 0x80);
  return made + static_cast<char>(value);
}
inline std::string tag(unsigned number, unsigned type) { return varint(number << 3 | type); }
inline std::string field(unsigned number, std::string_view contents) {
  return tag(number, 2) + varint(contents.size()) + std::string(contents);
}
inline std::string number(unsigned field_number, std::uint64_t value) {
  return tag(field_number, 0) + varint(value);
}

inline std::string tensor(std::string_view name, int type, const std::vector<std::int64_t>& dims,
                          std::string_view rest) {
  std::string made;
  for (const std::int64_t dim : dims) made += number(1, static_cast<std::uint64_t>(dim));
  return made + number(2, static_cast<std::uint64_t>(type)) + field(8, name) + std::string(rest);
}
inline std::string value(std::string_view name, int type, const std::vector<std::int64_t>& dims) {
  std::string shape;
  for (const std::int64_t dim : dims)
    shape += field(1, dim < 0 ? field(2, "n") : number(1, static_cast<std::uint64_t>(dim)));
  return field(1, name) +
         field(2, field(1, number(1, static_cast<std::uint64_t>(type)) + field(2, shape)));
}
inline std::string node(std::string_view type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, std::string_view rest = "") {
  std::string made;
  for (const std::string& input : inputs) made += field(1, input);
  for (const std::string& output : outputs) made += field(2, output);
  return made + field(4, type) + std::string(rest);
}
inline std::string external(std::string_view location, std::string_view offset,
                            std::string_view length) {
  const auto entry = [](std::string_view key, std::string_view text) {
    return field(13, field(1, key) + field(2, text));
  };
  return entry("location", location) + (offset.empty() ? "" : entry("offset", offset)) +
         (length.empty() ? "" : entry("length", length)) + number(14, 1);
}

/// y = Relu(x + w), w = {1, 2}; parts can be replaced.
struct SmallOnnx {
  std::string x = value("x", 1, {2}), y = value("y", 1, {2});
  std::string w = tensor("w", 1, {2}, field(9, std::string_view("\0\0\x80\x3f\0\0\0\x40", 8)));
  std::string add = node("Add", {"x", "w"}, {"sum"}), relu = node("Relu", {"sum"}, {"y"});
  std::string in_graph;  ///< Written after the other fields of the graph.
  std::string in_model;  ///< Written after the other fields of the model.

  std::string graph() const {
    return field(1, add) + field(1, relu) + field(2, "g") + field(5, w) + field(11, x) +
           field(12, y) + in_graph;
  }
  std::string bytes() const {
    return number(1, 8) + field(2, "test") + field(7, graph()) +
           field(8, field(1, "") + number(2, 17)) + in_model;
  }
};

}  // namespace edgeprobe::model::testing
