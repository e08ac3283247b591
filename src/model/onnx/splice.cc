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

Result<Splice> with_graph_field(
    ByteView file, std::uint32_t number,
    const std::function<std::optional<Splice>(WireReader&, const WireField&)>& contents,
    std::string_view missing, const std::string& behind) {
  constexpr std::uint32_t kGraph = 7;  // Field of a ModelProto.
  WireReader reader(file, "the model");
  const Place root;
  Splice model(file);
  std::size_t from = 0;
  bool found = false;
  reader.each(reader.whole(), root, [&](const WireField& field) {
    if (!field.is_message(kGraph)) return;
    Splice graph(file);
    std::size_t at = field.run.at;
    bool here = false;
    reader.each(field.run, root, [&](const WireField& inner) {
      if (!inner.is_message(number)) return;
      std::optional<Splice> anew = contents(reader, inner);
      if (!anew) return;
      graph.keep({at, inner.at - at});
      graph.add_message(number, *std::move(anew));
      at = inner.run.at + inner.run.size;
      here = true;
    });
    if (!here) return;
    found = true;
    graph.keep({at, field.run.at + field.run.size - at});
    graph.add(behind);
    model.keep({from, field.at - from});
    model.add_message(kGraph, std::move(graph));
    from = field.run.at + field.run.size;
  });
  if (reader.failed()) return reader.error();
  if (!found) return Error{ErrorKind::kUnsupported, std::string(missing)};
  model.keep({from, file.size - from});
  return model;
}

}  // namespace edgeprobe::model::onnx
