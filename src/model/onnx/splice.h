// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "model/onnx/wire.h"

/// Builds protobuf messages from runs of a file and our own fields.
namespace edgeprobe::model::onnx {

/// A field with text or a message: tag, length, contents.
std::string written_field(std::uint32_t number, std::string_view contents);
/// A field with a number.
std::string written_number(std::uint32_t number, std::uint64_t value);

/// A message whose bytes point into a file until it is copied. Adjacent runs are merged.
class Splice {
 public:
  explicit Splice(ByteView file) : file_(file) {}

  std::size_t size() const { return size_; }
  void keep(Run run);
  void add(std::string bytes);
  /// A field whose contents are another splice of the same file.
  void add_message(std::uint32_t number, Splice message);
  Bytes copy() const;

 private:
  struct Piece {
    Run run;  // A run of the file, if `own` is empty.
    std::string own;
  };
  ByteView file_;
  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

/// The file with one field of its main graph replaced, and the fields `behind` appended to that
/// graph. `contents` returns the field's new contents, and nothing for all other fields.
/// kUnsupported with `missing` if it replaces no field; fails like the reader.
Result<Splice> with_graph_field(
    ByteView file, std::uint32_t number,
    const std::function<std::optional<Splice>(WireReader&, const WireField&)>& contents,
    std::string_view missing, const std::string& behind = {});

}  // namespace edgeprobe::model::onnx
