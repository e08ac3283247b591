// SPDX-License-Identifier: Apache-2.0
#include "model/edit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "model/onnx/onnx.h"
#include "model/onnx/quantization.h"
#include "model/onnx/splice.h"
#include "model/qdq.h"
#include "model/same.h"

namespace edgeprobe::model {
namespace {

using onnx::Splice;

constexpr std::uint32_t kGraph = 7, kInitializer = 5;
constexpr std::uint32_t kDims = 1, kType = 2, kName = 8, kRaw = 9;  // Of a TensorProto.

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

// TensorProto.DataType of the integers that a zero point has.
std::optional<std::uint64_t> type_number(DType dtype) {
  switch (dtype) {
    case DType::kUInt8: return 2;
    case DType::kInt8: return 3;
    case DType::kUInt16: return 4;
    case DType::kInt16: return 5;
    default: return std::nullopt;
  }
}

// The initializer at `old` as a message of its own with these values.
Result<Bytes> with_initializer(ByteView file, Run old, const std::string& message) {
  WireReader reader(file, "the model");
  const Place root;
  Splice model(file);
  std::size_t from = 0;
  bool found = false;
  reader.each(reader.whole(), root, [&](const WireField& field) {
    if (!field.is_message(kGraph)) return;
    Splice graph(file);
    std::size_t at = field.run.at;
    reader.each(field.run, root, [&](const WireField& inner) {
      if (!inner.is_message(kInitializer) || inner.run.at != old.at || inner.run.size != old.size)
        return;
      graph.keep({at, inner.at - at});
      graph.add(onnx::written_field(kInitializer, message));
      at = inner.run.at + inner.run.size;
      found = true;
    });
    graph.keep({at, field.run.at + field.run.size - at});
    model.keep({from, field.at - from});
    model.add_message(kGraph, std::move(graph));
    from = field.run.at + field.run.size;
  });
  if (reader.failed()) return reader.error();
  if (!found) return refuse("a zero point is not an initializer of the main graph");
  model.keep({from, file.size - from});
  return model.copy();
}

// One stored number with other values: in place, else as a new message, which moves what follows.
Status set_number(const Graph& graph, Bytes& file, int tensor, ByteView value) {
  const ModelTensor& stored = graph.tensors[at(tensor)];
  if (element_count(stored.spec.shape) != 1 || size_of(stored.spec.dtype) != value.size)
    return refuse("'" + sanitized(stored.spec.name, 60) + "' is not one number for the tensor");
  if (stored.storage == ModelTensor::Storage::kPlain)
    return set_constant(graph, file, tensor, value);
  const auto type = type_number(stored.spec.dtype);
  if (!type || stored.storage != ModelTensor::Storage::kProtobuf)
    return refuse("'" + sanitized(stored.spec.name, 60) + "' is not stored in the model's file");
  std::string message;
  for (const std::int64_t dim : stored.spec.shape)
    message += onnx::written_number(kDims, static_cast<std::uint64_t>(dim));
  message += onnx::written_number(kType, *type);
  message += onnx::written_field(kName, stored.spec.name);
  message += onnx::written_field(kRaw, value.text());
  auto changed = with_initializer(file, {stored.data_offset, stored.data_size}, message);
  if (!changed) return std::move(changed.error());
  file = *std::move(changed);
  return {};
}

// The scale and the zero point of every QuantizeLinear and DequantizeLinear at the tensor.
Result<std::set<std::pair<int, int>>> parameters_at(const Graph& graph, int tensor) {
  std::set<std::pair<int, int>> found;
  for (const Layer& layer : graph.layers) {
    const bool makes = std::count(layer.outputs.begin(), layer.outputs.end(), tensor) > 0;
    const bool reads = std::count(layer.inputs.begin(), layer.inputs.end(), tensor) > 0;
    if (!makes && !reads) continue;
    if (layer.type != (makes ? "QuantizeLinear" : "DequantizeLinear") || layer.inputs.size() < 2)
      return refuse(layer.type + (makes ? " makes" : " reads") +
                    " the integers themselves, so that their scale is part of it");
    const int scale = layer.inputs[1], zero = layer.inputs.size() > 2 ? layer.inputs[2] : -1;
    if (scale < 0 || !graph.tensors[at(scale)].is_constant ||
        (zero >= 0 && !graph.tensors[at(zero)].is_constant))
      return refuse("the scale of '" + sanitized(graph.tensors[at(tensor)].spec.name, 60) +
                    "' is computed");
    found.emplace(scale, zero);
  }
  return found;
}

// The tensor and those that have the very same parameters because values are only moved between
// them.
std::set<int> tied_to(const Graph& graph, int tensor) {
  const std::vector<int> forms = stored_forms(graph);
  const auto own = parameters_at(graph, tensor);
  std::set<int> tied{tensor};
  for (std::size_t before = 0; own && before != tied.size();) {
    before = tied.size();
    for (const Layer& layer : graph.layers) {
      if (!onnx::only_moves(layer.type) || layer.inputs.empty() || layer.inputs[0] < 0) continue;
      const int read = forms[at(layer.inputs[0])], made = forms[at(layer.outputs[0])];
      if (tied.count(read) == tied.count(made)) continue;
      const int other = tied.count(read) ? made : read;
      const auto parameters = parameters_at(graph, other);
      if (parameters && *parameters == *own) tied.insert(other);
    }
  }
  return tied;
}

}  // namespace

Status set_scale_onnx(const Graph& graph, Bytes& file, int tensor, float scale,
                      std::int64_t zero_point) {
  const auto parameters = parameters_at(graph, tensor);
  if (!parameters) return parameters.error();
  if (parameters->empty()) return refuse("the tensor is not quantised");
  if (!std::isfinite(scale) || scale <= 0)
    return refuse("the scale " + number(scale) + " is no finite number above 0");
  const std::string label = "the rescaled model";
  const std::set<int> tied = tied_to(graph, tensor);
  const auto set = [&](int which, ByteView value) -> Status {
    const auto now = parse_onnx(file, label, graph.folder);  // An earlier change may have moved it.
    if (!now) return now.error();
    if (now->tensors.size() != graph.tensors.size())
      return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
    return set_number(*now, file, which, value);
  };
  std::set<int> changed;
  for (const auto& [scales, zeros] : *parameters) {
    if (graph.tensors[at(scales)].spec.dtype != DType::kFloat32)
      return refuse("a scale that is no float32 is not changed");
    if (changed.insert(scales).second)
      if (auto done = set(scales, ByteView(reinterpret_cast<const std::byte*>(&scale), 4)); !done)
        return done;
    if (zeros < 0) {
      if (zero_point != 0) return refuse("the tensor has no zero point in the file");
      continue;
    }
    if (!changed.insert(zeros).second) continue;
    const std::size_t size = size_of(graph.tensors[at(zeros)].spec.dtype);
    std::byte code[2] = {static_cast<std::byte>(zero_point & 0xff),
                         static_cast<std::byte>(zero_point >> 8 & 0xff)};
    if (size != 1 && size != 2) return refuse("a zero point of this type is not changed");
    if (auto done = set(zeros, ByteView(code, size)); !done) return done;
  }
  const auto again = parse_onnx(file, label, graph.folder);
  if (!again) return again.error();
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (!tied.count(static_cast<int>(i)) && !graph.tensors[i].is_constant &&
        graph.tensors[i].spec.quantization != again->tensors[i].spec.quantization)
      return refuse("the file shares the scale of '" +
                    sanitized(graph.tensors[at(tensor)].spec.name, 60) + "' with '" +
                    sanitized(graph.tensors[i].spec.name, 60) + "'");
  return {};
}

}  // namespace edgeprobe::model
