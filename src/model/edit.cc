#include "model/edit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "core/text.h"
#include "model/patch.h"
#include "model/tflite_schema.h"

namespace edgeprobe::model {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Where the parameters of each tensor stand: the first scale and the first zero point, 0 when absent.
struct Parameters {
  std::size_t scale = 0, zero_point = 0, scales = 0;
};

Error not_edited(const Graph& graph) {
  return {Fault::kUnsupported, "the constants of " + graph.format + " models are not changed, only those of .tflite models"};
}

Result<std::vector<Parameters>> parameters_of(ByteView file) {
  FlatReader reader(file, "the model");
  const Vector subgraphs = reader.vector(reader.root(), schema::model::kSubgraphs, 4);
  if (!subgraphs || subgraphs.count == 0) return Error{Fault::kUnsupported, "the model has no main graph"};
  const Table graph = reader.table_at(subgraphs, 0);
  const Vector tensors = reader.vector(graph, schema::subgraph::kTensors, 4);
  std::vector<Parameters> found;
  for (std::size_t i = 0; i < tensors.count && !reader.failed(); ++i) {
    const Table tensor = reader.table_at(tensors, i);
    const Table table = reader.table(tensor, schema::tensor::kQuantization);
    const Vector scales = reader.vector(table, schema::quantization::kScale, 4);
    const Vector zeros = reader.vector(table, schema::quantization::kZeroPoint, 8);
    found.push_back({scales.count ? scales.at : 0, zeros.count ? zeros.at : 0, scales.count});
  }
  if (reader.failed()) return reader.error();
  return found;
}

// Layers that hand stored values on, so that output and input share one scale.
bool moves_values(const std::string& type) {
  static const std::set<std::string> kTypes{"RESHAPE",     "SQUEEZE",       "EXPAND_DIMS",   "AVERAGE_POOL_2D", "MAX_POOL_2D",
                                            "PAD",         "STRIDED_SLICE", "SLICE",         "TRANSPOSE",       "RESIZE_BILINEAR",
                                            "GATHER",      "TILE",          "SPACE_TO_DEPTH", "DEPTH_TO_SPACE",  "RESIZE_NEAREST_NEIGHBOR"};
  return kTypes.count(type) > 0;
}
bool joins_values(const std::string& type) {
  static const std::set<std::string> kTypes{"CONCATENATION", "PACK", "MAXIMUM", "MINIMUM", "SPLIT", "SPLIT_V", "UNPACK", "RELU", "RELU6",
                                            "PADV2", "SELECT", "SELECT_V2", "REVERSE_V2", "BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND"};
  return kTypes.count(type) > 0;
}

std::size_t bias_slot(const std::string& type) {
  if (type == "CONV_2D" || type == "DEPTHWISE_CONV_2D" || type == "FULLY_CONNECTED" || type == "CONV_3D") return 2;
  if (type == "TRANSPOSE_CONV") return 3;
  return 0;
}
std::size_t data_slot(const std::string& type) { return type == "TRANSPOSE_CONV" ? 2 : 0; }

// Converters keep equal constants once: another tensor, or another layer, may read the same bytes.
bool shares_values(const Graph& graph, int tensor) {
  const ModelTensor& own = graph.tensors[at(tensor)];
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const ModelTensor& other = graph.tensors[i];
    if (i != at(tensor) && other.is_constant && other.data_offset < own.data_offset + own.data_size && own.data_offset < other.data_offset + other.data_size)
      return true;
  }
  return std::count_if(graph.layers.begin(), graph.layers.end(), [&](const Layer& layer) {
           return std::count(layer.inputs.begin(), layer.inputs.end(), tensor) > 0;
         }) > 1;
}

Status rescale_bias(const Graph& graph, Bytes& file, const std::vector<Parameters>& places, int bias, double ratio) {
  const ModelTensor& tensor = graph.tensors[at(bias)];
  if (tensor.spec.dtype != DType::kInt32)
    return Error{Fault::kUnsupported, std::string("a bias of ") + name(tensor.spec.dtype) + " is not rescaled"};
  const auto stored = constant(graph, file, bias);
  if (!stored) return stored.error();
  if (shares_values(graph, bias) && std::any_of(stored->bytes.begin(), stored->bytes.end(), [](std::byte byte) { return byte != std::byte{0}; }))
    return Error{Fault::kUnsupported, "a bias is shared with another layer"};
  for (std::size_t i = 0; i + 4 <= stored->bytes.size(); i += 4) {
    std::int32_t value;
    std::memcpy(&value, stored->bytes.data() + i, 4);
    const double scaled = std::nearbyint(value / ratio);
    if (!(std::fabs(scaled) <= std::numeric_limits<std::int32_t>::max()))
      return Error{Fault::kUnsupported, "a bias would leave its 32 bits"};
    put(file, tensor.data_offset + i, static_cast<std::int32_t>(scaled));
  }
  const Parameters& place = places[at(bias)];
  for (std::size_t i = 0; place.scale && i < place.scales; ++i)
    put(file, place.scale + 4 * i, static_cast<float>(tensor.spec.quantization.scale[i] * ratio));
  return {};
}

}  // namespace

Status set_constant(const Graph& graph, Bytes& file, int tensor, ByteView values) {
  if (graph.format != "tflite") return not_edited(graph);
  const auto stored = constant(graph, file, tensor);
  if (!stored) return stored.error();
  if (stored->bytes.size() != values.size)
    return Error{Fault::kUsage, "tensor " + std::to_string(tensor) + " has " + std::to_string(stored->bytes.size()) +
                                    " bytes, not " + std::to_string(values.size)};
  std::memcpy(file.data() + graph.tensors[at(tensor)].data_offset, values.data, values.size);
  return {};
}

Status set_scale(const Graph& graph, Bytes& file, int tensor, float scale, std::int64_t zero_point) {
  if (graph.format != "tflite") return not_edited(graph);
  const auto places = parameters_of(file);
  if (!places) return places.error();
  if (tensor < 0 || at(tensor) >= graph.tensors.size() || places->size() != graph.tensors.size())
    return Error{Fault::kUsage, "the graph and the file do not belong together"};
  // The tensor and all that is tied to it downstream.
  std::set<int> tied{tensor};
  std::map<int, double> biases;
  for (const Layer& layer : graph.layers) {
    const auto reads = std::count_if(layer.inputs.begin(), layer.inputs.end(), [&](int input) { return tied.count(input) > 0; });
    if (reads == 0) continue;
    if (joins_values(layer.type))
      return Error{Fault::kUnsupported, layer.type + " joins the tensor with others of the same scale"};
    if (moves_values(layer.type))
      std::copy_if(layer.outputs.begin(), layer.outputs.end(), std::inserter(tied, tied.end()), [](int output) { return output >= 0; });
    const std::size_t slot = bias_slot(layer.type);
    if (slot == 0 || slot >= layer.inputs.size() || layer.inputs[slot] < 0) continue;
    const int input = layer.inputs[data_slot(layer.type)];
    if (tied.count(input) == 0) continue;
    const Quantization& old = graph.tensors[at(input)].spec.quantization;
    if (old.scale.size() != 1) return Error{Fault::kUnsupported, "a tied tensor is not quantised as a whole"};
    const double ratio = double{scale} / double{old.scale[0]};
    if (!std::isfinite(ratio) || ratio <= 0) return Error{Fault::kUnsupported, "a scale is not a positive number"};
    biases.emplace(layer.inputs[slot], ratio);
  }
  for (const auto& [bias, ratio] : biases)
    if (auto done = rescale_bias(graph, file, *places, bias, ratio); !done) return done;
  for (const int one : tied) {
    const Parameters& place = (*places)[at(one)];
    if (place.scales != 1 || !place.scale || !place.zero_point)
      return Error{Fault::kUnsupported, "tensor '" + printable(graph.tensors[at(one)].spec.name, 60) +
                                            "' has no single scale and zero point in the file"};
    put(file, place.scale, scale);
    put(file, place.zero_point, zero_point);
  }
  const auto again = parse_tflite(file, "the rescaled model");
  if (!again) return again.error();
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    const int index = static_cast<int>(i);
    const bool meant = tied.count(index) || biases.count(index);
    if (!meant && !same(graph.tensors[i], again->graph.tensors[i]))
      return Error{Fault::kUnsupported, "the file shares the scale of tensor " + std::to_string(tensor) + " with others"};
  }
  return {};
}

}  // namespace edgeprobe::model
