// SPDX-License-Identifier: Apache-2.0
#include "cli/train/backbone.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <variant>

#include "cli/train/store.h"
#include "core/text.h"
#include "model/attributes.h"
#include "model/graph.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// An operator whose weights can fill a layer.
struct WeightedOperator {
  const char* format;
  const char* type;
  const char* kind;
  const char* layout;  ///< Of the kernel.
  /// Roles of the operands after the first one.
  std::array<const char*, 4> roles;
};

constexpr std::array<WeightedOperator, 5> kWeighted{{
    {"tflite", "CONV_2D", "conv", "ohwi", {"kernel", "bias"}},
    {"tflite", "DEPTHWISE_CONV_2D", "depthwise", "1hwo", {"kernel", "bias"}},
    {"tflite", "FULLY_CONNECTED", "dense", "oi", {"kernel", "bias"}},
    {"onnx", "Conv", "conv", "oihw", {"kernel", "bias"}},
    {"onnx", "BatchNormalization", "norm", "", {"gamma", "beta", "mean", "variance"}},
}};

const WeightedOperator* weighted(const model::Graph& graph, const model::Layer& layer) {
  for (const WeightedOperator& known : kWeighted)
    if (graph.format == known.format && layer.type == known.type) return &known;
  return nullptr;
}

Status write_array(const fs::path& path, const Tensor& tensor) {
  Shape row = tensor.spec.shape;
  if (!row.empty()) row.erase(row.begin());
  EP_TRY(auto file, NpyRows::create(path, "<f4", row));
  const std::size_t size = element_count(row).value_or(0) * sizeof(float);
  for (std::size_t at = 0; size > 0 && at < tensor.bytes.size(); at += size)
    EP_CHECK(file.add(ByteView(tensor.bytes).sub(at, size)));
  return file.finish();
}

/// True for a convolution of ONNX with one channel in each group.
bool is_depthwise(const WeightedOperator& known, const Tensor& kernel) {
  return known.layout == std::string_view("oihw") && kernel.spec.shape.size() == 4 &&
         kernel.spec.shape[0] > 1 && kernel.spec.shape[1] == 1;
}

/// Of ONNX's BatchNormalization.
constexpr double kUsualEpsilon = 1e-5;

/// Arithmetic with a constant for each channel: a batch norm that its converter
/// divided
/// ("scale", "shift"). Null for anything else. kUsage for a form that cannot be taken over.
Result<ordered_json> channel_constant(const model::Graph& graph, ByteView bytes,
                                      const model::Layer& layer, const std::string& file,
                                      const fs::path& array) {
  const auto is_any = [&](const char* onnx, const char* tflite) {
    return layer.type == (graph.format == "onnx" ? onnx : tflite);
  };
  const bool is_scale = is_any("Mul", "MUL"), is_shift = is_any("Add", "ADD");
  if (layer.inputs.size() != 2 ||
      !(is_scale || is_shift || is_any("Sub", "SUB") || is_any("Div", "DIV")))
    return ordered_json(nullptr);
  const auto is_constant = [&](int index) {
    return index >= 0 && graph.tensors[static_cast<std::size_t>(index)].is_constant;
  };
  const int index = is_constant(layer.inputs[1]) ? layer.inputs[1] : layer.inputs[0];
  if (is_constant(layer.inputs[0]) == is_constant(layer.inputs[1])) return ordered_json(nullptr);
  const TensorSpec& spec = graph.tensors[static_cast<std::size_t>(index)].spec;
  // A single number belongs to an activation.
  if (element_count(spec.shape).value_or(0) < 2) return ordered_json(nullptr);
  if (!(is_scale || is_shift) || spec.dtype != DType::kFloat32)
    return Error{ErrorKind::kUsage,
                 "--backbone '" + sanitized(fs::path(file).filename().string(), 100) + "': its " +
                     layer.type + " with the constant '" + sanitized(spec.name, 100) +
                     "' cannot be taken over; give the .keras or .tflite of this model"};
  EP_TRY(const auto tensor, model::constant(graph, bytes, index));
  EP_CHECK(write_array(array, tensor));
  return ordered_json{
      {"name", spec.name},
      {"kind", is_scale ? "scale" : "shift"},
      {"layout", ""},
      {"weights",
       ordered_json::array({ordered_json::array({"values", array.filename().string()})})}};
}

}  // namespace

bool is_graph_file(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  return ending == ".tflite" || ending == ".onnx";
}

Result<ordered_json> export_backbone(const std::string& file, const fs::path& arrays) {
  model::FileBytes bytes;
  EP_TRY(const auto graph, model::load(file, bytes));
  EP_TRY(const auto options, model::attributes(graph, bytes.view()));
  auto layers = ordered_json::array();
  std::size_t number = 0;
  for (std::size_t at = 0; at < graph.layers.size(); ++at) {
    const model::Layer& layer = graph.layers[at];
    const WeightedOperator* const known = weighted(graph, layer);
    if (!known) {
      EP_TRY(auto constant, channel_constant(graph, bytes.view(), layer, file,
                                             arrays / (std::to_string(number) + ".npy")));
      if (constant.is_null()) continue;
      ++number;
      layers.push_back(std::move(constant));
      continue;
    }
    ordered_json one{{"name", ""},
                     {"kind", known->kind},
                     {"layout", known->layout},
                     {"weights", ordered_json::array()}};
    if (known->kind == std::string_view("norm")) {
      one["epsilon"] = kUsualEpsilon;
      for (const model::Attribute& option : options[at])
        if (const auto* const value = std::get_if<float>(&option.value);
            value && option.name == "epsilon")
          one["epsilon"] = *value;
    }
    for (std::size_t i = 1; i < layer.inputs.size() && i <= known->roles.size(); ++i) {
      const int index = layer.inputs[i];
      if (index < 0 || !known->roles[i - 1]) continue;
      const model::ModelTensor& stored = graph.tensors[static_cast<std::size_t>(index)];
      const std::string shown = "'" + sanitized(stored.spec.name, 100) + "'";
      if (!stored.is_constant || stored.spec.dtype != DType::kFloat32)
        return Error{
            ErrorKind::kUsage,
            "--backbone '" + sanitized(fs::path(file).filename().string(), 100) + "': weight " +
                shown + " is " +
                (stored.is_constant ? "of type " + std::string(name(stored.spec.dtype))
                                    : "computed by the model") +
                "; a backbone needs stored float32 weights: take the float model that this "
                "one was made from"};
      EP_TRY(const auto tensor, model::constant(graph, bytes.view(), index));
      if (i == 1) {
        one["name"] = stored.spec.name;
        if (is_depthwise(*known, tensor)) {
          one["kind"] = "depthwise";
          one["layout"] = "o1hw";
        }
      }
      const std::string key = std::to_string(number++) + ".npy";
      EP_CHECK(write_array(arrays / key, tensor));
      one["weights"].push_back({known->roles[i - 1], key});
    }
    layers.push_back(std::move(one));
  }
  if (layers.empty())
    return Error{ErrorKind::kUsage, "--backbone '" + sanitized(file, 200) +
                                        "' has no convolution, dense layer or batch norm"};
  return layers;
}

}  // namespace edgeprobe::cli
