// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/place.h"

namespace edgeprobe::model {

/// A field of a table: its number in the schema, and its name for messages.
struct Field {
  int id = 0;
  const char* name = "";
};

/// A table whose vtable was verified to be inside the file. False if the field was absent.
struct Table {
  std::size_t at = 0;
  std::size_t vtable = 0;
  std::size_t vtable_size = 0;
  Place place;
  explicit operator bool() const { return at != 0; }
};

/// A vector whose elements were verified to be inside the file. False if the field was absent.
struct Vector {
  std::size_t at = 0;  ///< Offset of the first element.
  std::size_t count = 0;
  Place place;
  explicit operator bool() const { return at != 0; }
};

/// Reads FlatBuffers from untrusted bytes. The first failure is kept and all later reads are empty,
/// so callers check failed() once per step. Tables may share sub-objects, so a small file could
/// cause endless work: all reads are charged to a budget of 16 times the size of the file, plus 1
/// MiB; exceeding it is a kLimit failure.
class FlatReader {
 public:
  FlatReader(ByteView file, std::string_view label);

  /// The table at the root offset; the identifier is not checked.
  Table root();
  Table table(const Table& outer, Field field);
  Table table_at(const Vector& tables, std::size_t index);
  Vector vector(const Table& outer, Field field, std::size_t element_size);
  // Results refer to the table that they were read from, so a temporary is rejected.
  Table table(const Table&& outer, Field field) = delete;
  Table table_at(const Vector&& tables, std::size_t index) = delete;
  Vector vector(const Table&& outer, Field field, std::size_t element_size) = delete;
  std::string string(const Table& outer, Field field);
  /// Position of the field's value; 0 if absent.
  std::size_t slot(const Table& table, Field field, std::size_t size);

  template <class T>
  T scalar(const Table& table, Field field, T absent) {
    const std::size_t at = slot(table, field, sizeof(T));
    return at ? load<T>(at) : absent;
  }
  template <class T>
  std::vector<T> numbers(const Table& outer, Field field) {
    const Vector found = vector(outer, field, sizeof(T));
    if (!charge(found.count * sizeof(T), found.place)) return {};
    std::vector<T> values(found.count);
    if (found.count) std::memcpy(values.data(), file_.data + found.at, found.count * sizeof(T));
    return values;
  }

  /// Charges `bytes` of work; false, with a failure, if the budget is used up.
  bool charge(std::size_t bytes, const Place& place);
  void fail(ErrorKind kind, const Place& place, std::size_t offset, const std::string& what);

  bool failed() const { return failure_.has_value(); }
  Error error() const { return *failure_; }
  ByteView file() const { return file_; }

 private:
  template <class T>
  T load(std::size_t at) const {
    T value;
    std::memcpy(&value, file_.data + at, sizeof(T));
    return value;
  }
  bool inside(std::size_t at, std::size_t length) const {
    return at <= file_.size && length <= file_.size - at;
  }
  Table open(std::size_t at, const Place& place);
  std::size_t follow(std::size_t from, const Place& place);

  ByteView file_;
  std::string label_;
  std::size_t budget_ = 0;
  std::optional<Error> failure_;
};

}  // namespace edgeprobe::model
