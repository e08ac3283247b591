// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/protobuf.h"
#include "core/result.h"
#include "model/place.h"

namespace edgeprobe::model {

/// Bytes [at, at + size) of the file.
struct Run {
  std::size_t at = 0;
  std::size_t size = 0;
};

/// One field of a protobuf message, as it stands in the file.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  ///< Of a varint; the bits of a fixed one.
  Run run;                  ///< What a length-delimited field holds.
  std::size_t at = 0;       ///< Of its tag.

  bool is(std::uint32_t n, WireType t) const { return number == n && type == t; }
  bool is_message(std::uint32_t n) const { return is(n, WireType::kLength); }
  bool is_number(std::uint32_t n) const { return is(n, WireType::kVarint); }
};

/// Walks protobuf messages in bytes that nobody vouches for. Fields come in the order of the file,
/// so that a message that is given in several parts is merged by taking one part after the other.
/// Fields that a caller does not know, groups included, are passed over, as every protobuf parser
/// does. The first failure is kept and ends every walk. What callers keep is charged to a budget of
/// 16 times the size of the file, plus 64 MiB.
class WireReader {
 public:
  WireReader(ByteView file, std::string_view label);

  Run whole() const { return {0, file_.size}; }

  /// Calls `take(field)` for each field of the message in `run` until one fails.
  template <class Take>
  void each(Run run, const Place& place, Take&& take) {
    const std::size_t end = run.at + run.size;
    for (std::size_t at = run.at; at < end && !failed();)
      if (const auto field = next(at, end, place)) take(*field);
  }

  /// The numbers of a repeated field, whether it came packed or as one number alone.
  template <class Take>
  void each_varint(const WireField& field, const Place& place, Take&& take) {
    if (field.type == WireType::kVarint) return take(field.value);
    if (field.type != WireType::kLength) return;
    const std::size_t end = field.run.at + field.run.size;
    for (std::size_t at = field.run.at; at < end && !failed();)
      if (const auto value = varint(at, end, place)) take(*value);
  }

  /// Borrowed from the file.
  std::string_view text(Run run) const { return file_.sub(run.at, run.size).text(); }
  ByteView bytes(Run run) const { return file_.sub(run.at, run.size); }

  /// Adds `bytes` of memory; false, and a failure, when the budget is used up.
  bool charge(std::size_t bytes, const Place& place);
  void fail(ErrorKind kind, const Place& place, std::size_t offset, const std::string& what);

  bool failed() const { return failure_.has_value(); }
  Error error() const { return *failure_; }
  ByteView file() const { return file_; }

 private:
  /// The field at `at`, which moves behind it; nothing for a group (it is passed over) and after a
  /// failure.
  std::optional<WireField> next(std::size_t& at, std::size_t end, const Place& place);
  std::optional<std::uint64_t> varint(std::size_t& at, std::size_t end, const Place& place);
  bool skip_group(std::size_t& at, std::size_t end, std::uint32_t number, const Place& place);

  ByteView file_;
  std::string label_;
  std::size_t budget_ = 0;
  std::optional<Error> failure_;
};

}  // namespace edgeprobe::model
