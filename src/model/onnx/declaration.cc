// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/declaration.h"

#include <vector>

#include "model/onnx/proto.h"
#include "model/onnx/splice.h"
#include "model/onnx/types.h"

namespace edgeprobe::model::onnx {
namespace {

const Place kPlace{nullptr, "graph.value_info", -1};

bool is_of(const ElementType& element, const ModelTensor& tensor) {
  return element.dtype == tensor.spec.dtype &&
         (element.dtype != DType::kOther || element.name == tensor.stored_type);
}

/// 0 if the type is open or not an element type.
int code_of(const ModelTensor& tensor) {
  return onnx::code_of(tensor.spec.dtype, tensor.stored_type);
}

bool says_all(const Type& type, const ModelTensor& tensor) {
  if (type.kind == Type::Kind::kNone) return false;
  if (type.kind != Type::Kind::kTensor) return true;  // For other kinds nothing more is ever known.
  const auto element = element_type(type.element);
  return element && is_of(*element, tensor) && type.has_shape == tensor.shape_known &&
         (!type.has_shape || type.shape == tensor.spec.shape);
}

Value read_declared(WireReader& reader, Run declared) {
  Value value;
  read_value(reader, declared, kPlace, value);
  return value;
}

// The unchanged contents of each Dimension.
std::vector<std::string_view> dimensions(WireReader& reader, Run declared) {
  std::vector<std::string_view> found;
  reader.each(declared, kPlace, [&](const WireField& type) {
    if (!type.is_message(2)) return;
    reader.each(type.run, kPlace, [&](const WireField& tensor) {
      if (!tensor.is_message(1)) return;
      reader.each(tensor.run, kPlace, [&](const WireField& shape) {
        if (!shape.is_message(2)) return;
        reader.each(shape.run, kPlace, [&](const WireField& dim) {
          if (dim.is_message(1)) found.push_back(reader.text(dim.run));
        });
      });
    });
  });
  return found;
}

}  // namespace

bool has_type(WireReader& reader, const ModelTensor& tensor, std::optional<Run> declared) {
  return code_of(tensor) != 0 ||
         (declared && says_all(read_declared(reader, *declared).type, tensor));
}

std::string declaration(WireReader& reader, const ModelTensor& tensor,
                        std::optional<Run> declared) {
  const std::string name = written_field(1, tensor.spec.name);
  const int code = code_of(tensor);
  if (declared) {
    const Type type = read_declared(reader, *declared).type;
    if (says_all(type, tensor) || code == 0) return std::string(reader.text(*declared));
  }
  if (code == 0) return name;
  std::string shape;
  if (tensor.shape_known) {
    const auto symbolic =
        declared ? dimensions(reader, *declared) : std::vector<std::string_view>{};
    for (std::size_t i = 0; i < tensor.spec.shape.size(); ++i) {
      const std::int64_t dim = tensor.spec.shape[i];
      if (dim >= 0) shape += written_field(1, written_number(1, static_cast<std::uint64_t>(dim)));
      else
        shape += written_field(1, symbolic.size() == tensor.spec.shape.size() ? symbolic[i] : "");
    }
    shape = written_field(2, shape);
  }
  const std::string type = written_number(1, static_cast<std::uint64_t>(code)) + shape;
  return name + written_field(2, written_field(1, type));
}

}  // namespace edgeprobe::model::onnx
