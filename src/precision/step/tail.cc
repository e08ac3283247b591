// SPDX-License-Identifier: Apache-2.0
#include "precision/step/tail.h"

#include <cmath>

#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::precision {
namespace {

Result<std::vector<float>> numbers(const model::Graph& graph, ByteView file,
                                   const model::Layer& layer, std::size_t input) {
  const int tensor = input < layer.inputs.size() ? layer.inputs[input] : -1;
  auto stored = tensor >= 0 ? model::constant(graph, file, tensor)
                            : Result<Tensor>(Error{ErrorKind::kUnsupported, ""});
  auto values = stored ? to_float(*stored) : Result<std::vector<float>>(Error{});
  if (!values)
    return Error{ErrorKind::kUnsupported,
                 sanitized(layer.type, 40) + " after it, of which " + "a constant is not known"};
  return values;
}

float attribute(const model::Attributes& all, const std::string& name, float otherwise) {
  for (const model::Attribute& one : all)
    if (one.name == name)
      if (const float* value = std::get_if<float>(&one.value)) return *value;
  return otherwise;
}

// Formula of the ONNX operator BatchNormalization.
Status add_norm(const model::Graph& graph, ByteView file, const model::Layer& layer,
                const model::Attributes& attributes, Tail& tail) {
  std::vector<std::vector<float>> all;
  for (std::size_t i = 1; i < 5; ++i) {
    EP_TRY(auto values, numbers(graph, file, layer, i));
    if (!all.empty() && values.size() != all[0].size())
      return Error{ErrorKind::kUnsupported, "a batch norm of unequal constants after it"};
    all.push_back(std::move(values));
  }
  const double epsilon = attribute(attributes, "epsilon", 1e-5F);
  for (std::size_t c = 0; c < all[0].size(); ++c) {
    const double gain = all[0][c] / std::sqrt(double{all[3][c]} + epsilon);
    tail.gain.push_back(static_cast<float>(gain));
    tail.offset.push_back(static_cast<float>(all[1][c] - all[2][c] * gain));
  }
  return {};
}

Status add_activation(const model::Graph& graph, ByteView file, const model::Layer& layer,
                      const model::Attributes& attributes, Tail& tail) {
  if (layer.type == "LeakyRelu") {
    tail.slope = attribute(attributes, "alpha", 0.01F);
    return {};
  }
  if (layer.type != "Clip") {
    tail.low = 0;
    if (layer.type == "RELU6") tail.high = 6;
    return {};
  }
  tail.low = attribute(attributes, "min", tail.low);
  tail.high = attribute(attributes, "max", tail.high);
  for (std::size_t i = 1; i < layer.inputs.size(); ++i) {
    if (layer.inputs[i] < 0) continue;
    EP_TRY(const auto value, numbers(graph, file, layer, i));
    if (value.size() == 1) (i == 1 ? tail.low : tail.high) = value.front();
  }
  return {};
}

}  // namespace

float Tail::activated(float value) const {
  const float sloped = value < 0 ? value * slope : value;
  const float above = sloped < low ? low : sloped;  // Both preserve NaN.
  return above > high ? high : above;
}

Result<Tail> tail_of(const model::Graph& graph, ByteView file,
                     const std::vector<model::Attributes>& attributes,
                     const std::vector<int>& layers) {
  Tail tail;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const model::Layer& layer = graph.layers[at(layers[i])];
    if (layer.type != "BatchNormalization") {
      EP_CHECK(add_activation(graph, file, layer, attributes[at(layers[i])], tail));
      continue;
    }
    if (i != 1 || graph.layers[at(layers[0])].type != "Conv")
      return Error{ErrorKind::kUnsupported, "BatchNormalization after it"};
    EP_CHECK(add_norm(graph, file, layer, attributes[at(layers[i])], tail));
  }
  return tail;
}

void fold(const Tail& tail, Array& weights, Array& bias) {
  const std::size_t channels = tail.gain.size();
  if (channels == 0 || weights.values.size() % channels != 0) return;
  const std::size_t each = weights.values.size() / channels;
  for (std::size_t i = 0; i < weights.values.size(); ++i) weights.values[i] *= tail.gain[i / each];
  bias.values.resize(channels);
  bias.shape = {static_cast<std::int64_t>(channels)};
  for (std::size_t c = 0; c < channels; ++c)
    bias.values[c] = bias.values[c] * tail.gain[c] + tail.offset[c];
}

}  // namespace edgeprobe::precision
