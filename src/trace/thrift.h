// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgeprobe::trace {

/// Thrift's compact protocol, as far as the metadata of a Parquet file need it. Fields come in the
/// order of their ids, and each struct is ended; the outermost one by end().
class Thrift {
 public:
  enum class Type : std::uint8_t { kInt32 = 5, kText = 8, kStruct = 12 };

  Thrift& int8(int field, std::int8_t value);
  Thrift& int32(int field, std::int32_t value);
  Thrift& int64(int field, std::int64_t value);
  Thrift& flag(int field, bool value);
  Thrift& text(int field, std::string_view value);
  Thrift& begin(int field);  ///< A struct as a field.
  /// A list as a field; `count` elements follow: element() or begin_element() … end().
  Thrift& list(int field, Type type, std::size_t count);
  Thrift& element(std::int32_t value);
  Thrift& element(std::string_view value);
  Thrift& begin_element();
  /// Structs that were written elsewhere, ended.
  Thrift& elements(std::string_view structs);
  Thrift& end();

  const std::string& bytes() const { return out_; }

 private:
  void head(int field, std::uint8_t type);
  void varint(std::uint64_t value);
  void signed_varint(std::int64_t value);

  std::string out_;
  std::vector<int> last_field_{0};  ///< Of each open struct.
};

}  // namespace edgeprobe::trace
