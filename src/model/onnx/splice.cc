// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/splice.h"

#include <iterator>

#include "core/protobuf.h"

namespace edgeprobe::model::onnx {
std::string written_field(std::uint32_t number, std::string_view contents) {
  return ProtoWriter().bytes(number, contents).text();
}

std::string written_number(std::uint32_t number, std::uint64_t value) {
  return ProtoWriter().whole(number, value).text();
}

void Splice::keep(Run run) {
  if (run.size == 0) return;
  size_ += run.size;
  const bool follows = !pieces_.empty() && pieces_.back().own.empty() &&
                       pieces_.back().run.at + pieces_.back().run.size == run.at;
  if (follows) pieces_.back().run.size += run.size;
  else pieces_.push_back({run, {}});
}

void Splice::add(std::string bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  pieces_.push_back({{}, std::move(bytes)});
}

void Splice::add_message(std::uint32_t number, Splice message) {
  add(ProtoWriter().head(number, message.size_).text());
  size_ += message.size_;
  pieces_.insert(pieces_.end(), std::make_move_iterator(message.pieces_.begin()),
                 std::make_move_iterator(message.pieces_.end()));
}

Bytes Splice::copy() const {
  Bytes bytes;
  bytes.reserve(size_);
  for (const Piece& piece : pieces_) {
    const ByteView from =
        piece.own.empty() ? file_.sub(piece.run.at, piece.run.size) : view_of(piece.own);
    bytes.insert(bytes.end(), from.begin(), from.end());
  }
  return bytes;
}

}  // namespace edgeprobe::model::onnx
