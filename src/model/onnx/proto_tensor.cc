// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {
namespace {

void read_external(WireReader& reader, Run run, const Place& place, Tensor& into) {
  std::string_view key, value;
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_message(1)) key = reader.text(field.run);
    if (field.is_message(2)) value = reader.text(field.run);
  });
  if (key == "location") into.location = value;
  if (key == "offset") into.offset = value;
  if (key == "length") into.length = value;
}

std::size_t count_varints(WireReader& reader, const WireField& field, const Place& place) {
  std::size_t count = 0;
  reader.each_varint(field, place, [&](std::uint64_t) { ++count; });
  return count;
}

// float_data and double_data are plain little-endian numbers, usually in one packed piece.
void add_plain(const WireField& field, std::size_t each, Tensor& into) {
  into.packed = field.run;
  into.pieces += 1;
  into.values += field.run.size / each;
}

}  // namespace

void add_number(WireReader& reader, const WireField& field, const Place& place,
                std::vector<std::int64_t>& into) {
  reader.each_varint(field, place, [&](std::uint64_t value) {
    if (reader.charge(sizeof(std::int64_t), place))
      into.push_back(static_cast<std::int64_t>(value));
  });
}

void read_tensor(WireReader& reader, Run run, const Place& place, Tensor& into) {
  into.message = run;
  into.at = run.at;
  into.parts += 1;
  reader.each(run, place, [&](const WireField& field) {
    switch (field.number) {
      case 1: return add_number(reader, field, place, into.dims);
      case 2:
        if (field.type == WireType::kVarint)
          into.type = static_cast<int>(static_cast<std::int32_t>(field.value));
        return;
      case 3: into.is_segment = true; return;
      case 4:
        if (field.type == WireType::kLength || field.type == WireType::kFixed32)
          add_plain(field, 4, into);
        return;
      case 10:
        if (field.type == WireType::kLength || field.type == WireType::kFixed64)
          add_plain(field, 8, into);
        return;
      case 5:
      case 7:
      case 11: into.values += count_varints(reader, field, place); return;
      case 6: into.values += field.type == WireType::kLength; return;
      case 8:
        if (field.type == WireType::kLength) into.name = reader.text(field.run);
        return;
      case 9:
        if (field.type == WireType::kLength) into.raw = field.run;
        return;
      case 13:
        if (field.type == WireType::kLength) read_external(reader, field.run, place, into);
        return;
      case 14:
        if (field.type == WireType::kVarint) into.is_external = field.value == 1;
        return;
      default: return;
    }
  });
}

Tensor read_tensor(WireReader& reader, Run run, const Place& place) {
  Tensor tensor;
  read_tensor(reader, run, place, tensor);
  return tensor;
}

void read_sparse(WireReader& reader, Run run, const Place& place, SparseTensor& into) {
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_message(1)) read_tensor(reader, field.run, {&place, "values", -1}, into.values);
    if (field.number == 3) add_number(reader, field, place, into.dims);
  });
}

}  // namespace edgeprobe::model::onnx
