// SPDX-License-Identifier: Apache-2.0
#include "trace/thrift.h"

namespace edgeprobe::trace {
namespace {

constexpr std::uint8_t kTrue = 1, kFalse = 2, kByte = 3, kInt64 = 6, kList = 9;

}  // namespace

void Thrift::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

void Thrift::signed_varint(std::int64_t value) {
  varint(static_cast<std::uint64_t>(value) << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void Thrift::head(int field, std::uint8_t type) {
  const int step = field - last_field_.back();
  last_field_.back() = field;
  if (step >= 1 && step <= 15) {
    out_ += static_cast<char>(step << 4 | type);
  } else {
    out_ += static_cast<char>(type);
    signed_varint(field);
  }
}

Thrift& Thrift::int8(int field, std::int8_t value) {
  head(field, kByte);
  out_ += static_cast<char>(value);
  return *this;
}

Thrift& Thrift::int32(int field, std::int32_t value) {
  head(field, static_cast<std::uint8_t>(Type::kInt32));
  signed_varint(value);
  return *this;
}

Thrift& Thrift::int64(int field, std::int64_t value) {
  head(field, kInt64);
  signed_varint(value);
  return *this;
}

Thrift& Thrift::flag(int field, bool value) {
  head(field, value ? kTrue : kFalse);
  return *this;
}

Thrift& Thrift::text(int field, std::string_view value) {
  head(field, static_cast<std::uint8_t>(Type::kText));
  return element(value);
}

Thrift& Thrift::begin(int field) {
  head(field, static_cast<std::uint8_t>(Type::kStruct));
  return begin_element();
}

Thrift& Thrift::list(int field, Type type, std::size_t count) {
  head(field, kList);
  const auto code = static_cast<std::uint8_t>(type);
  if (count < 15) {
    out_ += static_cast<char>(count << 4 | code);
  } else {
    out_ += static_cast<char>(0xf0 | code);
    varint(count);
  }
  return *this;
}

Thrift& Thrift::element(std::int32_t value) {
  signed_varint(value);
  return *this;
}

Thrift& Thrift::element(std::string_view value) {
  varint(value.size());
  out_ += value;
  return *this;
}

Thrift& Thrift::begin_element() {
  last_field_.push_back(0);
  return *this;
}

Thrift& Thrift::elements(std::string_view structs) {
  out_ += structs;
  return *this;
}

Thrift& Thrift::end() {
  out_ += '\0';
  last_field_.pop_back();
  return *this;
}

}  // namespace edgeprobe::trace
