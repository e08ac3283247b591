// SPDX-License-Identifier: Apache-2.0
#include "compare/align/attribute_differences.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/index.h"
#include "model/attributes.h"

namespace edgeprobe::compare {
namespace {

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

// Lists whose default is as long as the operator has dimensions.
bool is_default_list(const std::string& name, const model::AttributeValue& value) {
  return ((name == "strides" || name == "dilations") && all_are(value, 1)) ||
         ((name == "pads" || name == "output_padding") && all_are(value, 0));
}

// An axis counted from the end is the same as one counted from the front.
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

  // As it computes with; nothing when the file leaves it out and the default is not known.
  std::optional<model::AttributeValue> value(const std::string& name) const {
    std::optional<model::AttributeValue> found;
    for (const model::Attribute& attribute : attributes)
      if (attribute.name == name) found = attribute.value;
    if (!found) found = model::default_attribute(graph, layer, name);
    if (!found || is_default_list(name, *found)) return std::nullopt;
    return counted(graph, layer, name, *std::move(found));
  }
};

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
  const auto all_r = model::attributes(reference, reference_file);
  if (!all_r) return all_r.error();
  const auto all_t = model::attributes(target, target_file);
  if (!all_t) return all_t.error();
  const Operator r{reference, of_r, (*all_r)[at(reference_layer)]},
      t{target, of_t, (*all_t)[at(target_layer)]};
  std::set<std::string> names;
  for (const Operator* side : {&r, &t})
    for (const model::Attribute& attribute : side->attributes)
      if (!is_without_effect(side->layer, attribute.name) &&
          !std::holds_alternative<model::OpaqueAttribute>(attribute.value))
        names.insert(attribute.name);
  for (const std::string& name : names) {
    const auto in_r = r.value(name), in_t = t.value(name);
    if (text_of(in_r) != text_of(in_t))
      different.push_back({name, text_of(in_r), text_of(in_t)});
  }
  return different;
}

}  // namespace edgeprobe::compare
