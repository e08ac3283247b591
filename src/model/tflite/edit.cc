// SPDX-License-Identifier: Apache-2.0
#include "model/edit.h"
#include "core/index.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "core/text.h"
#include "model/same.h"
#include "model/tflite/patch.h"
#include "model/tflite/schema.h"

namespace edgeprobe::model {
namespace {

// Offsets of each tensor's parameters: the first scale and the first zero point, 0 if absent.
struct Parameters {
  std::size_t scale = 0, zero_point = 0, scales = 0;
  std::size_t type = 0;  // Offset of the tensor's type; 0 if absent: it is float32.
};

Error not_edited(const Graph& graph) {
  return {ErrorKind::kUnsupported, "scales and biases of " + graph.format +
                                       " models are not changed, only those of .tflite models"};
}

Result<std::vector<Parameters>> parameters_of(ByteView file) {
  FlatReader reader(file, "the model");
  const Table root = reader.root();  // Failures refer to this table.
  const Vector subgraphs = reader.vector(root, schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0)
    return Error{ErrorKind::kUnsupported, "the model has no main graph"};
  const Table graph = reader.table_at(subgraphs, 0);
  const Vector tensors = reader.vector(graph, schema::subgraph::kTensors, 4);
  std::vector<Parameters> found;
  for (std::size_t i = 0; i < tensors.count && !reader.failed(); ++i) {
    const Table tensor = reader.table_at(tensors, i);
    const Table table = reader.table(tensor, schema::tensor::kQuantization);
    const Vector scales = reader.vector(table, schema::quantization::kScale, 4);
    const Vector zeros = reader.vector(table, schema::quantization::kZeroPoint, 8);
    found.push_back({scales.count ? scales.at : 0, zeros.count ? zeros.at : 0, scales.count,
                     reader.slot(tensor, schema::tensor::kType, 1)});
  }
  if (reader.failed()) return reader.error();
  return found;
}

// Layers that pass stored values on, so that output and input share one scale.
bool moves_values(const std::string& type) {
  static const std::set<std::string> kTypes{
      "RESHAPE", "SQUEEZE",       "EXPAND_DIMS",    "AVERAGE_POOL_2D", "MAX_POOL_2D",
      "PAD",     "STRIDED_SLICE", "SLICE",          "TRANSPOSE",       "RESIZE_BILINEAR",
      "GATHER",  "TILE",          "SPACE_TO_DEPTH", "DEPTH_TO_SPACE",  "RESIZE_NEAREST_NEIGHBOR"};
  return kTypes.count(type) > 0;
}
bool joins_values(const std::string& type) {
  static const std::set<std::string> kTypes{"CONCATENATION",
                                            "PACK",
                                            "MAXIMUM",
                                            "MINIMUM",
                                            "SPLIT",
                                            "SPLIT_V",
                                            "UNPACK",
                                            "RELU",
                                            "RELU6",
                                            "PADV2",
                                            "SELECT",
                                            "SELECT_V2",
                                            "REVERSE_V2",
                                            "BATCH_TO_SPACE_ND",
                                            "SPACE_TO_BATCH_ND"};
  return kTypes.count(type) > 0;
}

std::size_t bias_slot(const std::string& type) {
  if (type == "CONV_2D" || type == "DEPTHWISE_CONV_2D" || type == "FULLY_CONNECTED" ||
      type == "CONV_3D")
    return 2;
  if (type == "TRANSPOSE_CONV") return 3;
  return 0;
}
std::size_t data_slot(const std::string& type) { return type == "TRANSPOSE_CONV" ? 2 : 0; }

// Converters store equal constants once: another tensor or layer may read the same bytes.
bool shares_values(const Graph& graph, int tensor) {
  const ModelTensor& own = graph.tensors[at(tensor)];
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const ModelTensor& other = graph.tensors[i];
    if (i != at(tensor) && other.is_constant &&
        other.data_offset < own.data_offset + own.data_size &&
        own.data_offset < other.data_offset + other.data_size)
      return true;
  }
  return std::count_if(graph.layers.begin(), graph.layers.end(), [&](const Layer& layer) {
           return std::count(layer.inputs.begin(), layer.inputs.end(), tensor) > 0;
         }) > 1;
}

Status rescale_bias(const Graph& graph, Bytes& file, const std::vector<Parameters>& places,
                    int bias, double ratio) {
  const ModelTensor& tensor = graph.tensors[at(bias)];
  if (tensor.spec.dtype != DType::kInt32)
    return Error{ErrorKind::kUnsupported,
                 std::string("a bias of ") + name(tensor.spec.dtype) + " is not rescaled"};
  EP_TRY(const auto stored, constant(graph, file, bias));
  if (shares_values(graph, bias) &&
      std::any_of(stored.bytes.begin(), stored.bytes.end(),
                  [](std::byte byte) { return byte != std::byte{0}; }))
    return Error{ErrorKind::kUnsupported, "a bias is shared with another layer"};
  for (std::size_t i = 0; i + 4 <= stored.bytes.size(); i += 4) {
    std::int32_t value;
    std::memcpy(&value, stored.bytes.data() + i, 4);
    const double scaled = std::nearbyint(value / ratio);
    if (!(std::fabs(scaled) <= std::numeric_limits<std::int32_t>::max()))
      return Error{ErrorKind::kUnsupported, "a bias would leave its 32 bits"};
    put(file, tensor.data_offset + i, static_cast<std::int32_t>(scaled));
  }
  const Parameters& place = places[at(bias)];
  for (std::size_t i = 0; place.scale && i < place.scales; ++i)
    put(file, place.scale + 4 * i, static_cast<float>(tensor.spec.quantization.scale[i] * ratio));
  return {};
}

}  // namespace

Status set_scale_tflite(const Graph& graph, Bytes& file, int tensor, float scale,
                        std::int64_t zero_point) {
  EP_TRY(const auto places, parameters_of(file));
  if (tensor < 0 || at(tensor) >= graph.tensors.size() || places.size() != graph.tensors.size())
    return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
  // The tensor and everything tied to it downstream.
  std::set<int> tied{tensor};
  std::map<int, double> biases;
  for (const Layer& layer : graph.layers) {
    const auto reads = std::count_if(layer.inputs.begin(), layer.inputs.end(),
                                     [&](int input) { return tied.count(input) > 0; });
    if (reads == 0) continue;
    if (joins_values(layer.type))
      return Error{ErrorKind::kUnsupported,
                   layer.type + " joins the tensor with others of the same scale"};
    if (moves_values(layer.type))
      std::copy_if(layer.outputs.begin(), layer.outputs.end(), std::inserter(tied, tied.end()),
                   [](int output) { return output >= 0; });
    const std::size_t slot = bias_slot(layer.type);
    if (slot == 0 || slot >= layer.inputs.size() || layer.inputs[slot] < 0) continue;
    const int input = layer.inputs[data_slot(layer.type)];
    if (tied.count(input) == 0) continue;
    const Quantization& old = graph.tensors[at(input)].spec.quantization;
    if (old.scale.size() != 1)
      return Error{ErrorKind::kUnsupported, "a tied tensor is not quantised as a whole"};
    const double ratio = double{scale} / double{old.scale[0]};
    if (!std::isfinite(ratio) || ratio <= 0)
      return Error{ErrorKind::kUnsupported, "a scale is not a positive number"};
    biases.emplace(layer.inputs[slot], ratio);
  }
  for (const auto& [bias, ratio] : biases) EP_CHECK(rescale_bias(graph, file, places, bias, ratio));
  for (const int one : tied) {
    const Parameters& place = places[at(one)];
    if (place.scales != 1 || !place.scale || !place.zero_point)
      return Error{ErrorKind::kUnsupported, "tensor '" +
                                                sanitized(graph.tensors[at(one)].spec.name, 60) +
                                                "' has no single scale and zero point in the file"};
    put(file, place.scale, scale);
    put(file, place.zero_point, zero_point);
  }
  EP_TRY(const auto again, parse_tflite(file, "the rescaled model"));
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const int index = static_cast<int>(i);
    const bool meant = tied.count(index) || biases.count(index);
    if (!meant && !same(graph.tensors[i], again.graph.tensors[i]))
      return Error{ErrorKind::kUnsupported, "the file shares the scale of tensor " +
                                                std::to_string(tensor) + " with others"};
  }
  return {};
}

Status set_bias(const Graph& graph, Bytes& file, int layer, const std::vector<float>& bias) {
  if (graph.format != "tflite") return not_edited(graph);
  EP_TRY(const auto places, parameters_of(file));
  if (layer < 0 || at(layer) >= graph.layers.size() || places.size() != graph.tensors.size())
    return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
  const Layer& op = graph.layers[at(layer)];
  const std::size_t slot = bias_slot(op.type);
  if (slot == 0 || slot >= op.inputs.size() || op.inputs[slot] < 0 || op.inputs[1] < 0 ||
      op.inputs[data_slot(op.type)] < 0)
    return Error{ErrorKind::kUnsupported, op.type + " has no bias of its own"};
  const int stored_bias = op.inputs[slot], stored_weights = op.inputs[1];
  const ModelTensor &input = graph.tensors[at(op.inputs[data_slot(op.type)])],
                    &weights = graph.tensors[at(stored_weights)];
  EP_TRY(auto codes, constant(graph, file, stored_bias));
  EP_TRY(auto values, constant(graph, file, stored_weights));
  const std::vector<float>& scales = weights.spec.quantization.scale;
  if (codes.spec.dtype != DType::kInt32 || values.spec.dtype != DType::kInt8 ||
      codes.bytes.size() != 4 * bias.size() || input.spec.quantization.scale.size() != 1 ||
      (scales.size() != 1 && scales.size() != bias.size()))
    return Error{ErrorKind::kUnsupported, "its bias is not stored as 32 bits with 8-bit weights"};
  if (shares_values(graph, stored_bias))
    return Error{ErrorKind::kUnsupported, "a bias is shared with another layer"};
  std::size_t inner = 1;
  const auto axis = static_cast<std::size_t>(std::max(weights.spec.quantization.axis, 0));
  for (std::size_t d = axis + 1; d < weights.spec.shape.size(); ++d)
    inner *= static_cast<std::size_t>(weights.spec.shape[d]);
  const double fed = input.spec.quantization.scale[0],
               most = std::numeric_limits<std::int32_t>::max();
  bool rounded = false;
  for (std::size_t c = 0; c < bias.size(); ++c) {
    const std::size_t place = scales.size() == 1 ? 0 : c;
    double scale = scales[place];
    if (!(fed > 0) || !(scale > 0) || !std::isfinite(bias[c]))
      return Error{ErrorKind::kUnsupported, "a scale is not a positive number"};
    if (std::fabs(bias[c]) > most * fed * scale) {
      if (scales.size() == 1 && bias.size() > 1)
        return Error{ErrorKind::kUnsupported, "a bias would leave its 32 bits"};
      const double wider = static_cast<float>(2 * std::fabs(bias[c]) / (most * fed));
      for (std::size_t i = 0; i < values.bytes.size(); ++i) {
        if (i / inner % bias.size() != c && bias.size() > 1) continue;
        const double code = static_cast<std::int8_t>(values.bytes[i]);
        values.bytes[i] =
            static_cast<std::byte>(static_cast<std::int8_t>(std::nearbyint(code * scale / wider)));
      }
      scale = wider;
      rounded = true;
      put(file, places[at(stored_weights)].scale + 4 * place, static_cast<float>(scale));
    }
    put(file, graph.tensors[at(stored_bias)].data_offset + 4 * c,
        static_cast<std::int32_t>(std::nearbyint(bias[c] / (fed * scale))));
    const Parameters& written = places[at(stored_bias)];
    if (written.scale && (written.scales == bias.size() || bias.size() == 1))
      put(file, written.scale + 4 * c, static_cast<float>(fed * scale));
  }
  if (rounded) {
    if (shares_values(graph, stored_weights))
      return Error{ErrorKind::kUnsupported, "weights are shared with another layer"};
    std::memcpy(file.data() + weights.data_offset, values.bytes.data(), values.bytes.size());
  }
  EP_TRY(const auto again, parse_tflite(file, "the model with another bias"));
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (static_cast<int>(i) != stored_bias && static_cast<int>(i) != stored_weights &&
        !same(graph.tensors[i], again.graph.tensors[i]))
      return Error{ErrorKind::kUnsupported, "the file shares the scales of a layer with others"};
  return {};
}

Status set_real(const Graph& graph, Bytes& file, int layer) {
  if (graph.format != "tflite") return not_edited(graph);
  EP_TRY(const auto places, parameters_of(file));
  if (layer < 0 || at(layer) >= graph.layers.size() || places.size() != graph.tensors.size())
    return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
  std::vector<int> tensors = graph.layers[at(layer)].inputs;
  tensors.insert(tensors.end(), graph.layers[at(layer)].outputs.begin(),
                 graph.layers[at(layer)].outputs.end());
  for (const int tensor : tensors) {
    if (tensor < 0 || graph.tensors[at(tensor)].spec.quantization.empty()) continue;
    const ModelTensor& one = graph.tensors[at(tensor)];
    if (one.is_constant || one.spec.quantization.scale.size() != 1 || !places[at(tensor)].type)
      return Error{ErrorKind::kUnsupported, "'" + sanitized(one.spec.name, 60) +
                                                "' is not quantised as a whole, or a constant"};
    put(file, places[at(tensor)].type, std::uint8_t{0});
  }
  const auto again = parse_tflite(file, "the model with a layer of real numbers");
  return again ? Status{} : Status{again.error()};
}

}  // namespace edgeprobe::model
