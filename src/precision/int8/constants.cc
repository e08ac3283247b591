// SPDX-License-Identifier: Apache-2.0
#include "precision/int8/plan.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "core/index.h"
#include "model/edit.h"

namespace edgeprobe::precision {
namespace {

// Constants of elementwise operators become codes with one scale.
constexpr std::string_view kElementwise[] = {
    "Add", "Mul", "Concat",  "Where",   "ADD",           "MUL",
    "SUB", "DIV", "MAXIMUM", "MINIMUM", "CONCATENATION", "SQUARED_DIFFERENCE"};

bool is_elementwise(std::string_view type) {
  return std::find(std::begin(kElementwise), std::end(kElementwise), type) !=
         std::end(kElementwise);
}

// Dimension of the weights that counts output channels; empty for operators without weights.
std::optional<std::size_t> channel_axis(const model::Layer& layer,
                                        const model::Attributes& attributes, std::size_t rank) {
  const std::string& type = layer.type;
  if (type == "Conv" || type == "CONV_2D" || type == "FULLY_CONNECTED" || type == "TRANSPOSE_CONV")
    return 0;
  if (type == "DEPTHWISE_CONV_2D" || type == "MatMul") return rank - 1;
  if (type == "ConvTranspose") return 1;
  if (type != "Gemm") return std::nullopt;
  for (const model::Attribute& one : attributes)
    if (one.name == "transB")
      if (const auto* turned = std::get_if<std::int64_t>(&one.value)) return *turned != 0 ? 0 : 1;
  return 1;
}

Result<std::vector<float>> values_of(const model::Graph& graph, ByteView file, int tensor) {
  EP_TRY(auto stored, model::constant(graph, file, tensor));
  return to_float(stored);
}

// Bytes that are not plain bytes of the file are left unchanged without an error.
Status write(const model::Graph& graph, Bytes& file, int tensor, const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  auto done = model::set_constant(graph, file, tensor, bytes);
  return !done && done.error().kind != ErrorKind::kUnsupported ? done : Status{};
}

bool is_real_constant(const model::Graph& graph, const model::Layer& layer, std::size_t input) {
  if (input >= layer.inputs.size() || layer.inputs[input] < 0) return false;
  const model::ModelTensor& tensor = graph.tensors[at(layer.inputs[input])];
  return tensor.is_constant && !tensor.is_sparse && tensor.spec.dtype == DType::kFloat32;
}

/// One operator with weights, by output channel.
struct Weighted {
  const model::Graph& graph;
  ByteView original;
  const model::Layer& layer;
  const Tail& tail;
  std::size_t axis = 0;
  double input_scale = 0;  ///< 0: not quantised.
  WeightScales scales = WeightScales::kByChannel;

  // The bias, with a batch norm folded in.
  Result<std::vector<float>> bias(std::size_t channels) const {
    std::vector<float> all(channels);
    const std::size_t place = layer.type == "TRANSPOSE_CONV" ? 3 : 2;
    if (is_real_constant(graph, layer, place)) {
      auto stored = values_of(graph, original, layer.inputs[place]);
      if (!stored) return stored;
      if (stored->size() == channels) all = *std::move(stored);
    }
    for (std::size_t c = 0; c < tail.gain.size() && c < channels; ++c)
      all[c] = all[c] * tail.gain[c] + tail.offset[c];
    return all;
  }
};

// A bias before a batch norm cannot be changed directly: the norm's own is changed by the same
// amount.
Status write_bias(const Weighted& work, const Step& step, const std::vector<float>& whole,
                  const std::vector<float>& kept, Bytes& file) {
  int tensor = -1;
  if (work.tail.gain.empty()) {
    const std::size_t place = work.layer.type == "TRANSPOSE_CONV" ? 3 : 2;
    if (is_real_constant(work.graph, work.layer, place)) tensor = work.layer.inputs[place];
  } else {
    for (const int index : step.layers) {
      const model::Layer& norm = work.graph.layers[at(index)];
      if (norm.type == "BatchNormalization" && is_real_constant(work.graph, norm, 2))
        tensor = norm.inputs[2];
    }
  }
  if (tensor < 0) return {};
  EP_TRY(auto values, values_of(work.graph, work.original, tensor));
  if (values.size() != whole.size()) return {};
  for (std::size_t c = 0; c < whole.size(); ++c) (values)[c] += kept[c] - whole[c];
  return write(work.graph, file, tensor, values);
}

Status write_weights(const Weighted& work, const Step& step, Bytes& file) {
  const int tensor = work.layer.inputs[1];
  const Shape& shape = work.graph.tensors[at(tensor)].spec.shape;
  EP_TRY(auto values, values_of(work.graph, work.original, tensor));
  if (work.axis >= shape.size() || shape[work.axis] <= 0) return {};
  const auto channels = static_cast<std::size_t>(shape[work.axis]);
  std::size_t each = 1;
  for (std::size_t d = work.axis + 1; d < shape.size(); ++d)
    each *= static_cast<std::size_t>(shape[d]);
  const auto gain = [&](std::size_t c) {
    return c < work.tail.gain.size() ? work.tail.gain[c] : 1.0F;
  };
  std::vector<float> largest(channels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i / each % channels;
    largest[c] = std::max(largest[c], std::fabs(values[i] * gain(c)));
  }
  if (work.scales == WeightScales::kOne)
    std::fill(largest.begin(), largest.end(), *std::max_element(largest.begin(), largest.end()));
  EP_TRY(const auto whole, work.bias(channels));
  std::vector<float> kept = whole;
  std::vector<Codes> codes;
  for (std::size_t c = 0; c < channels; ++c) {
    codes.push_back(even_codes_of(largest[c]));
    if (work.input_scale <= 0) continue;
    // A channel with tiny weights gets a scale for which its bias fits into 32 bits.
    const double least = std::fabs(double{kept[c]}) /
                         (double{std::numeric_limits<std::int32_t>::max()} * work.input_scale);
    codes[c].scale = std::max(codes[c].scale, static_cast<float>(least));
    const double step_size = work.input_scale * double{codes[c].scale};
    kept[c] = static_cast<float>(std::nearbyint(double{kept[c]} / step_size) * step_size);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t c = i / each % channels;
    if (gain(c) != 0) (values)[i] = codes[c].stored(values[i] * gain(c)) / gain(c);
  }
  EP_CHECK(write(work.graph, file, tensor, values));
  return write_bias(work, step, whole, kept, file);
}

}  // namespace

Status quantise_constants(const model::Graph& graph, ByteView original,
                          const std::vector<model::Attributes>& attributes,
                          const std::vector<Step>& steps, const std::vector<Tail>& tails,
                          const Int8& plan, Bytes& file) {
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (!plan.steps[s]) continue;
    const model::Layer& layer = graph.layers[at(steps[s].layers.front())];
    if (is_real_constant(graph, layer, 1)) {
      const std::size_t rank = graph.tensors[at(layer.inputs[1])].spec.shape.size();
      if (const auto axis = channel_axis(layer, attributes[at(layer.index)], rank)) {
        const std::size_t place = layer.type == "TRANSPOSE_CONV" ? 2 : 0;
        const auto codes = plan.codes.find(place < layer.inputs.size() ? layer.inputs[place] : -1);
        const double scale = codes == plan.codes.end() ? 0.0 : double{codes->second.scale};
        EP_CHECK(write_weights({graph, original, layer, tails[s], *axis, scale, plan.weights},
                               steps[s], file));
        continue;
      }
    }
    if (!is_elementwise(layer.type)) continue;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      if (!is_real_constant(graph, layer, i)) continue;
      EP_TRY(auto values, values_of(graph, original, layer.inputs[i]));
      if (values.empty()) continue;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const Codes codes = graph.format == "onnx"
                              ? even_codes_of(std::max(std::fabs(*low), std::fabs(*high)))
                              : codes_of(*low, *high);
      for (float& value : values) value = codes.stored(value);
      EP_CHECK(write(graph, file, layer.inputs[i], values));
    }
  }
  return {};
}

}  // namespace edgeprobe::precision
