// SPDX-License-Identifier: Apache-2.0
#include "stretch/split/subject.h"

#include <algorithm>

#include "core/index.h"
#include "core/text.h"
#include "model/qdq.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {
namespace {

const model::AttributeValue* value_of(const SplitSubject& subject, int layer, const char* name) {
  for (const model::Attribute& one : subject.attributes[at(layer)])
    if (one.name == name) return &one.value;
  return nullptr;
}

std::vector<int> unpackers(const model::Graph& graph) {
  std::vector<int> unpacked_by(graph.tensors.size(), -1);
  for (const model::Layer& layer : graph.layers)
    if (layer.type == "DequantizeLinear" && layer.outputs.size() == 1 && layer.outputs[0] >= 0 &&
        layer.inputs.size() >= 2 && layer.inputs[0] >= 0 && layer.inputs[1] >= 0 &&
        std::all_of(layer.inputs.begin(), layer.inputs.end(),
                    [&](int input) { return input < 0 || graph.tensors[at(input)].is_constant; }))
      unpacked_by[at(layer.outputs[0])] = layer.index;
  return unpacked_by;
}

}  // namespace

const model::Layer& SplitSubject::layer(int index) const { return graph.layers[at(index)]; }
const model::ModelTensor& SplitSubject::tensor(int index) const { return graph.tensors[at(index)]; }

bool SplitSubject::is_stored(int tensor) const {
  return is_constant(tensor) || (tensor >= 0 && unpacked_by[at(tensor)] >= 0);
}

const model::ModelTensor& SplitSubject::values(int tensor) const {
  const int unpacked = unpacked_by[at(tensor)];
  return this->tensor(unpacked < 0 ? tensor : layer(unpacked).inputs.front());
}

std::int64_t SplitSubject::whole(int layer, const char* name, std::int64_t absent) const {
  const model::AttributeValue* const value = value_of(*this, layer, name);
  const auto* const whole = value ? std::get_if<std::int64_t>(value) : nullptr;
  return whole ? *whole : absent;
}

std::vector<std::int64_t> SplitSubject::wholes(int layer, const char* name,
                                               std::vector<std::int64_t> absent) const {
  const model::AttributeValue* const value = value_of(*this, layer, name);
  const auto* const list = value ? std::get_if<std::vector<std::int64_t>>(value) : nullptr;
  return list ? *list : absent;
}

std::string SplitSubject::text(int layer, const char* name, const char* absent) const {
  const model::AttributeValue* const value = value_of(*this, layer, name);
  const auto* const text = value ? std::get_if<std::string>(value) : nullptr;
  return text ? *text : absent;
}

Result<SplitSubject> subject_of(const model::Graph& graph, ByteView file) {
  if (graph.format != "onnx")
    return Error{ErrorKind::kUnsupported,
                 "layers of a ." + graph.format +
                     " are not split: its weights are packed for its operators and stay where they "
                     "are; split the .onnx that it was made of"};
  EP_TRY(auto flow, flow_of(graph));
  EP_TRY(auto attributes, model::attributes(graph, file));
  SplitSubject subject{graph,
                       std::move(flow),
                       std::move(attributes),
                       {},
                       tensor_texts(graph),
                       unpackers(graph),
                       model::within_integer_operators(graph)};
  subject.readers.resize(graph.tensors.size());
  for (const model::Layer& layer : graph.layers)
    for (const auto* list : {&layer.inputs, &layer.implicit_inputs})
      for (const int tensor : *list) {
        if (tensor < 0) continue;
        std::vector<int>& readers = subject.readers[at(tensor)];
        if (readers.empty() || readers.back() != layer.index) readers.push_back(layer.index);
      }
  return subject;
}

std::int64_t dimension(const model::ModelTensor& tensor, std::size_t axis) {
  return tensor.shape_known && axis < tensor.spec.shape.size() ? tensor.spec.shape[axis] : -1;
}

std::string layer_name(const SplitSubject& subject, int layer) {
  const model::Layer& one = subject.layer(layer);
  const std::string& name = one.name.empty() && !one.outputs.empty() && one.outputs.front() >= 0
                                ? subject.tensor(one.outputs.front()).spec.name
                                : one.name;
  return sanitized(one.type, 40) + " '" + sanitized(name, 80) + "'";
}

}  // namespace edgeprobe::stretch
