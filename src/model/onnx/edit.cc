// SPDX-License-Identifier: Apache-2.0
#include "model/edit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
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

constexpr std::uint32_t kInitializer = 5;                           // Field of a GraphProto.
constexpr std::uint32_t kDims = 1, kType = 2, kName = 8, kRaw = 9;  // Fields of a TensorProto.

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

// TensorProto.DataType of the integer types allowed for a zero point.
std::optional<std::uint64_t> type_number(DType dtype) {
  switch (dtype) {
    case DType::kUInt8: return 2;
    case DType::kInt8: return 3;
    case DType::kUInt16: return 4;
    case DType::kInt16: return 5;
    default: return std::nullopt;
  }
}

// The initializer at `old` as a separate message with these values.
Result<Bytes> with_initializer(ByteView file, Run old, const std::string& message) {
  const auto model = onnx::with_graph_field(
      file, kInitializer,
      [&](WireReader&, const WireField& stored) -> std::optional<Splice> {
        if (stored.run.at != old.at || stored.run.size != old.size) return std::nullopt;
        Splice contents(file);
        contents.add(message);
        return contents;
      },
      "a zero point is not an initializer of the main graph");
  if (!model) return model.error();
  return model->copy();
}

// Replaces one stored number: in place, else as a new message, which moves everything after it.
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
  EP_TRY(file, with_initializer(file, {stored.data_offset, stored.data_size}, message));
  return {};
}

// Tensors of a scale and a zero point; -1 for a zero point that the file omits.
using Parameters = std::set<std::pair<int, int>>;

// True if codes pass through an operator that has no scales, such as a Flatten or a MaxPool.
bool hands_codes_on(const Graph& graph, const Layer& layer) {
  const auto codes = [&](const std::vector<int>& list) {
    return !list.empty() && list[0] >= 0 && !graph.tensors[at(list[0])].is_constant &&
           is_integer(graph.tensors[at(list[0])].spec.dtype) &&
           !graph.tensors[at(list[0])].spec.quantization.empty();
  };
  return onnx::only_moves(layer.type) && codes(layer.inputs) && codes(layer.outputs);
}

// The parameters with which the operators at the tensor read or write it.
Result<Parameters> parameters_at(const Graph& graph, int tensor) {
  Parameters found;
  for (const Layer& layer : graph.layers) {
    const auto uses = std::count(layer.outputs.begin(), layer.outputs.end(), tensor) +
                      std::count(layer.inputs.begin(), layer.inputs.end(), tensor);
    if (uses == 0 || hands_codes_on(graph, layer)) continue;
    std::ptrdiff_t known = 0;
    for (const onnx::QuantizedSlot& slot : onnx::quantized_slots(layer)) {
      const std::vector<int>& list = slot.is_output ? layer.outputs : layer.inputs;
      if (slot.tensor >= list.size() || list[slot.tensor] != tensor) continue;
      const auto input = [&](std::size_t i) {
        return i < layer.inputs.size() ? layer.inputs[i] : -1;
      };
      const int scale = input(slot.scale), zero = input(slot.zero_point);
      if (scale < 0 || !graph.tensors[at(scale)].is_constant ||
          (zero >= 0 && !graph.tensors[at(zero)].is_constant))
        return refuse("the scale of '" + sanitized(graph.tensors[at(tensor)].spec.name, 60) +
                      "' is computed");
      found.emplace(scale, zero);
      ++known;
    }
    if (known != uses)
      return refuse(layer.type + " at '" + sanitized(graph.tensors[at(tensor)].spec.name, 60) +
                    "' works on the integers themselves, whatever their scale");
  }
  return found;
}

// The tensor and those with the same codes because an operator only moves them.
std::set<int> moved_with(const Graph& graph, int tensor) {
  std::set<int> moved{tensor};
  for (std::size_t before = 0; before != moved.size();) {
    before = moved.size();
    for (const Layer& layer : graph.layers)
      if (hands_codes_on(graph, layer) &&
          moved.count(layer.inputs[0]) + moved.count(layer.outputs[0]) == 1)
        moved.insert({layer.inputs[0], layer.outputs[0]});
  }
  return moved;
}

// The tensor and those with the same parameters because values are only moved between them.
std::set<int> tied_to(const Graph& graph, int tensor, const Parameters& own) {
  const std::vector<int> forms = stored_forms(graph);
  std::set<int> tied = moved_with(graph, tensor);
  for (std::size_t before = 0; before != tied.size();) {
    before = tied.size();
    for (const Layer& layer : graph.layers) {
      if (!onnx::only_moves(layer.type) || layer.inputs.empty() || layer.inputs[0] < 0) continue;
      const int read = forms[at(layer.inputs[0])], made = forms[at(layer.outputs[0])];
      if (tied.count(read) == tied.count(made)) continue;
      const int other = tied.count(read) ? made : read;
      const auto parameters = parameters_at(graph, other);
      if (parameters && *parameters == own) tied.insert(other);
    }
  }
  return tied;
}

// Rescales the int32 biases added to products of the tensors to their new steps.
Status rescale_biases(const Graph& graph, Bytes& file, const std::set<int>& tensors, float scale) {
  for (const Layer& layer : graph.layers) {
    const auto slot = onnx::bias_slot(layer.type);
    if (!slot || *slot >= layer.inputs.size() || layer.inputs[*slot] < 0 ||
        !tensors.count(layer.inputs[0]))
      continue;
    const int bias = layer.inputs[*slot];
    std::ptrdiff_t readers = 0;
    for (const Layer& other : graph.layers)
      readers += std::count(other.inputs.begin(), other.inputs.end(), bias);
    if (readers != 1) return refuse("several operators share the bias of one of its readers");
    EP_TRY(const auto stored, constant(graph, file, bias));
    if (stored.spec.dtype != DType::kInt32) return refuse("the bias of a reader is not int32");
    const double ratio =
        double{graph.tensors[at(layer.inputs[0])].spec.quantization.scale[0]} / double{scale};
    Bytes codes = stored.bytes;
    for (std::size_t i = 0; i + sizeof(std::int32_t) <= codes.size(); i += sizeof(std::int32_t)) {
      std::int32_t code = 0;
      std::memcpy(&code, codes.data() + i, sizeof code);
      const double moved = std::nearbyint(code * ratio);
      if (!(std::fabs(moved) <= 2147483647.0))
        return refuse("the bias of a reader would leave its 32 bits");
      code = static_cast<std::int32_t>(moved);
      std::memcpy(codes.data() + i, &code, sizeof code);
    }
    EP_CHECK(set_constant(graph, file, bias, codes));
  }
  return {};
}

}  // namespace

Status set_scale_onnx(const Graph& graph, Bytes& file, int tensor, float scale,
                      std::int64_t zero_point) {
  Parameters all;
  const std::set<int> moved = moved_with(graph, tensor);
  for (const int one : moved) {
    EP_TRY(const auto parameters, parameters_at(graph, one));
    all.insert(parameters.begin(), parameters.end());
  }
  if (all.empty() || graph.tensors[at(tensor)].spec.quantization.scale.size() != 1)
    return refuse("the tensor is not quantised");
  if (!std::isfinite(scale) || scale <= 0)
    return refuse("the scale " + number(scale) + " is not a finite number above 0");
  const std::string label = "the rescaled model";
  const std::set<int> tied = tied_to(graph, tensor, all);
  EP_CHECK(rescale_biases(graph, file, moved, scale));
  const auto set = [&](int which, ByteView value) -> Status {
    EP_TRY(const auto now,
           parse_onnx(file, label, graph.folder));  // An earlier change may have moved it.
    if (now.tensors.size() != graph.tensors.size())
      return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
    return set_number(now, file, which, value);
  };
  std::set<int> changed;
  for (const auto& [scales, zeros] : all) {
    if (graph.tensors[at(scales)].spec.dtype != DType::kFloat32)
      return refuse("only float32 scales can be changed");
    if (changed.insert(scales).second)
      EP_CHECK(set(scales, ByteView(reinterpret_cast<const std::byte*>(&scale), 4)));
    if (zeros < 0) {
      if (zero_point != 0) return refuse("the tensor has no zero point in the file");
      continue;
    }
    if (!changed.insert(zeros).second) continue;
    const std::size_t size = size_of(graph.tensors[at(zeros)].spec.dtype);
    std::byte code[2] = {static_cast<std::byte>(zero_point & 0xff),
                         static_cast<std::byte>(zero_point >> 8 & 0xff)};
    if (size != 1 && size != 2) return refuse("a zero point of this type is not changed");
    EP_CHECK(set(zeros, ByteView(code, size)));
  }
  EP_TRY(const auto again, parse_onnx(file, label, graph.folder));
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (!tied.count(static_cast<int>(i)) && !graph.tensors[i].is_constant &&
        graph.tensors[i].spec.quantization != again.tensors[i].spec.quantization)
      return refuse("the file shares the scale of '" +
                    sanitized(graph.tensors[at(tensor)].spec.name, 60) + "' with '" +
                    sanitized(graph.tensors[i].spec.name, 60) + "'");
  return {};
}

}  // namespace edgeprobe::model
