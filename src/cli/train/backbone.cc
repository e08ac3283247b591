// SPDX-License-Identifier: Apache-2.0
#include "cli/train/backbone.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "cli/train/store.h"
#include "core/text.h"
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

}  // namespace

bool is_graph_file(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  return ending == ".tflite" || ending == ".onnx";
}

Result<ordered_json> export_backbone(const std::string& file, const fs::path& arrays) {
  model::FileBytes bytes;
  EP_TRY(const auto graph, model::load(file, bytes));
  auto layers = ordered_json::array();
  std::size_t number = 0;
  for (const model::Layer& layer : graph.layers) {
    const WeightedOperator* const known = weighted(graph, layer);
    if (!known) continue;
    ordered_json one{{"name", ""},
                     {"kind", known->kind},
                     {"layout", known->layout},
                     {"weights", ordered_json::array()}};
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
