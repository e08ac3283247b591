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

/// One field of a protobuf message, as stored in the file.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t value = 0;  ///< The value of a varint; the bits of a fixed-size field.
  Run run;                  ///< Contents of a length-delimited field.
  std::size_t at = 0;       ///< Offset of its tag.

  bool is(std::uint32_t n, WireType t) const { return number == n && type == t; }
  bool is_message(std::uint32_t n) const { return is(n, WireType::kLength); }
  bool is_number(std::uint32_t n) const { return is(n, WireType::kVarint); }
};

/// Walks protobuf messages in untrusted bytes. Fields come in file order, so a message in several
/// parts can be merged by taking the parts one after another. Fields unknown to the caller,
/// including groups, are skipped, as by every protobuf parser. The first failure is kept and stops
/// every walk. Data that callers keep is charged to a budget of 16 times the size of the file, plus
/// 64 MiB.
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

  /// The numbers of a repeated field, whether packed or single.
  template <class Take>
  void each_varint(const WireField& field, const Place& place, Take&& take) {
    if (field.type == WireType::kVarint) return take(field.value);
    if (field.type != WireType::kLength) return;
    const std::size_t end = field.run.at + field.run.size;
    for (std::size_t at = field.run.at; at < end && !failed();)
      if (const auto value = varint(at, end, place)) take(*value);
  }

  /// Points into the file.
  std::string_view text(Run run) const { return file_.sub(run.at, run.size).text(); }
  ByteView bytes(Run run) const { return file_.sub(run.at, run.size); }

  /// Charges `bytes` of memory; false, with a failure, if the budget is used up.
  bool charge(std::size_t bytes, const Place& place);
  void fail(ErrorKind kind, const Place& place, std::size_t offset, const std::string& what);

  bool failed() const { return failure_.has_value(); }
  Error error() const { return *failure_; }
  ByteView file() const { return file_; }

 private:
  /// The field at `at`, which moves past it; nothing for a group (skipped) and after a failure.
  std::optional<WireField> next(std::size_t& at, std::size_t end, const Place& place);
  std::optional<std::uint64_t> varint(std::size_t& at, std::size_t end, const Place& place);
  bool skip_group(std::size_t& at, std::size_t end, std::uint32_t number, const Place& place);

  ByteView file_;
  std::string label_;
  std::size_t budget_ = 0;
  std::optional<Error> failure_;
};

}  // namespace edgeprobe::model
