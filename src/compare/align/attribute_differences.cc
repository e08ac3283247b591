// SPDX-License-Identifier: Apache-2.0
#include "compare/align/attribute_differences.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/index.h"
#include "model/attributes.h"

namespace edgeprobe::compare {
namespace {

// Largest number of values in a constant input that controls the computation.
constexpr std::size_t kMostNumbers = 16;

bool is_without_effect(const model::Layer& layer, const std::string& name) {
  static const std::set<std::string> kNames{"momentum", "is_test", "training_mode",
                                            "consumed_inputs", "spatial"};
  const bool in_weights =
      name == "kernel_shape" && (layer.type == "Conv" || layer.type == "ConvTranspose" ||
                                 layer.type == "QLinearConv" || layer.type == "ConvInteger");
  return in_weights || kNames.count(name) > 0;
}

bool all_are(const model::AttributeValue& value, std::int64_t number) {
  const auto* const numbers = std::get_if<std::vector<std::int64_t>>(&value);
  return numbers && std::all_of(numbers->begin(), numbers->end(),
                                [&](std::int64_t one) { return one == number; });
}

// True for default lists, whose length follows the operator's dimensions.
bool is_default_list(const std::string& name, const model::AttributeValue& value) {
  return ((name == "strides" || name == "dilations") && all_are(value, 1)) ||
         ((name == "pads" || name == "output_padding") && all_are(value, 0));
}

// Normalises an axis counted from the end.
model::AttributeValue counted(const model::Graph& graph, const model::Layer& layer,
                              const std::string& name, model::AttributeValue value) {
  const auto* const axis = std::get_if<std::int64_t>(&value);
  if (!axis || *axis >= 0 || name != "axis" || layer.inputs.empty() || layer.inputs[0] < 0)
    return value;
  const model::ModelTensor& read = graph.tensors[at(layer.inputs[0])];
  if (!read.shape_known) return value;
  return *axis + static_cast<std::int64_t>(read.spec.shape.size());
}

struct Operator {
  const model::Graph& graph;
  const model::Layer& layer;
  const model::Attributes& attributes;

  // Effective value; nothing if the file omits it and the default is unknown.
  std::optional<model::AttributeValue> value(const std::string& name) const {
    std::optional<model::AttributeValue> found;
    for (const model::Attribute& attribute : attributes)
      if (attribute.name == name) found = attribute.value;
    if (!found) found = model::default_attribute(graph, layer, name);
    if (!found || is_default_list(name, *found)) return std::nullopt;
    return counted(graph, layer, name, *std::move(found));
  }
};

// Names of inputs that were attributes in older operator sets.
std::string input_name(const std::string& type, std::size_t slot) {
  static const std::map<std::string, std::vector<const char*>> kNames{
      {"Clip", {"input", "min", "max"}},
      {"Pad", {"data", "pads", "constant_value", "axes"}},
      {"Resize", {"X", "roi", "scales", "sizes"}},
      {"Reshape", {"data", "shape"}},
      {"Slice", {"data", "starts", "ends", "axes", "steps"}},
      {"PAD", {"input", "paddings"}},
      {"MEAN", {"input", "axes"}},
      {"RESIZE_BILINEAR", {"input", "size"}},
      {"RESIZE_NEAREST_NEIGHBOR", {"input", "size"}},
      {"STRIDED_SLICE", {"input", "begin", "end", "strides"}}};
  const auto names = kNames.find(type);
  if (names != kNames.end() && slot < names->second.size()) return names->second[slot];
  return "input " + std::to_string(slot);
}

// The few values of a constant input as text; nothing for computed tensors and weights.
std::optional<std::string> setting(const model::Graph& graph, ByteView file,
                                   const model::Layer& layer, std::size_t slot) {
  if (slot >= layer.inputs.size() || layer.inputs[slot] < 0) return "not given";
  const int tensor = layer.inputs[slot];
  const model::ModelTensor& found = graph.tensors[at(tensor)];
  if (!found.is_constant || std::count(layer.weights.begin(), layer.weights.end(), tensor) > 0)
    return std::nullopt;
  const auto stored = model::constant(graph, file, tensor);
  const auto values = stored ? to_float(*stored) : Result<std::vector<float>>(stored.error());
  if (!values || values->size() > kMostNumbers) return std::nullopt;
  return values->size() == 1 ? model::to_text(model::AttributeValue(values->front()))
                             : model::to_text(model::AttributeValue(*values));
}

std::string text_of(const std::optional<model::AttributeValue>& value) {
  return value ? to_text(*value) : "the default";
}

}  // namespace

Result<std::vector<AttributeDifference>> attribute_differences(
    const model::Graph& reference, ByteView reference_file, int reference_layer,
    const model::Graph& target, ByteView target_file, int target_layer) {
  std::vector<AttributeDifference> different;
  const model::Layer& of_r = reference.layers[at(reference_layer)];
  const model::Layer& of_t = target.layers[at(target_layer)];
  if (reference.format != target.format || of_r.type != of_t.type) return different;
  EP_TRY(const auto all_r, model::attributes(reference, reference_file));
  EP_TRY(const auto all_t, model::attributes(target, target_file));
  const Operator r{reference, of_r, all_r[at(reference_layer)]},
      t{target, of_t, all_t[at(target_layer)]};
  std::set<std::string> names;
  for (const Operator* side : {&r, &t})
    for (const model::Attribute& attribute : side->attributes)
      if (!is_without_effect(side->layer, attribute.name) &&
          !std::holds_alternative<model::OpaqueAttribute>(attribute.value))
        names.insert(attribute.name);
  for (const std::string& name : names) {
    const auto in_r = r.value(name), in_t = t.value(name);
    if (text_of(in_r) != text_of(in_t)) different.push_back({name, text_of(in_r), text_of(in_t)});
  }
  for (std::size_t slot = 1; slot < std::max(of_r.inputs.size(), of_t.inputs.size()); ++slot) {
    const auto in_r = setting(reference, reference_file, of_r, slot),
               in_t = setting(target, target_file, of_t, slot);
    if (in_r && in_t && *in_r != *in_t)
      different.push_back({input_name(of_r.type, slot), *in_r, *in_t});
  }
  return different;
}

}  // namespace edgeprobe::compare
