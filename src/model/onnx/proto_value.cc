// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/proto.h"

namespace edgeprobe::model::onnx {
namespace {

// The two fields exclude each other; the last one counts.
std::int64_t read_dimension(WireReader& reader, Run run, const Place& place) {
  std::int64_t dim = -1;
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_number(1)) dim = static_cast<std::int64_t>(field.value);
    if (field.is_message(2)) dim = -1;
  });
  return dim < 0 ? -1 : dim;
}

void read_tensor_type(WireReader& reader, Run run, const Place& place, Type& into) {
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_number(1)) into.element = static_cast<int>(static_cast<std::int32_t>(field.value));
    if (!field.is_message(2)) return;
    into.has_shape = true;
    const Place shape{&place, "shape", -1};
    reader.each(field.run, shape, [&](const WireField& dim) {
      if (dim.is_message(1) && reader.charge(sizeof(std::int64_t), shape))
        into.shape.push_back(read_dimension(reader, dim.run, shape));
    });
  });
}

Type::Kind kind_of(std::uint32_t field) {
  switch (field) {
    case 1: return Type::Kind::kTensor;
    case 4: return Type::Kind::kSequence;
    case 5: return Type::Kind::kMap;
    case 7: return Type::Kind::kOpaque;
    case 8: return Type::Kind::kSparse;
    case 9: return Type::Kind::kOptional;
    default: return Type::Kind::kNone;
  }
}

void read_type(WireReader& reader, Run run, const Place& place, Type& into) {
  reader.each(run, place, [&](const WireField& field) {
    const Type::Kind kind =
        field.type == WireType::kLength ? kind_of(field.number) : Type::Kind::kNone;
    if (kind == Type::Kind::kNone) return;
    if (kind != into.kind) into = Type{kind, 0, false, {}};
    if (kind == Type::Kind::kTensor || kind == Type::Kind::kSparse)
      read_tensor_type(reader, field.run, place, into);
  });
}

}  // namespace

void read_value(WireReader& reader, Run run, const Place& place, Value& into) {
  reader.each(run, place, [&](const WireField& field) {
    if (field.is_message(1)) into.name = reader.text(field.run);
    if (field.is_message(2)) read_type(reader, field.run, {&place, "type", -1}, into.type);
  });
}

}  // namespace edgeprobe::model::onnx
