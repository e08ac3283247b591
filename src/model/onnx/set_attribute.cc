// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "core/index.h"
#include "core/protobuf.h"
#include "core/text.h"
#include "model/onnx/onnx.h"
#include "model/onnx/proto.h"
#include "model/onnx/splice.h"
#include "model/onnx/written.h"
#include "model/same.h"

namespace edgeprobe::model {
namespace {

using onnx::Splice;

constexpr std::uint32_t kNode = 1, kInitializer = 5;              // Fields of a GraphProto.
constexpr std::uint32_t kInput = 1, kOpType = 4, kAttribute = 5;  // Fields of a NodeProto.
constexpr std::uint32_t kAttributeName = 1;                       // Field of an AttributeProto.

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

// TensorProto of numbers: a scalar for a single number, else a list.
std::string written_value(const std::string& name, const AttributeValue& value) {
  Tensor tensor;
  tensor.spec.name = name;
  const auto add = [&](auto number) {
    std::byte bytes[sizeof number];
    store_little(bytes, number);
    tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + sizeof number);
  };
  const auto real = [&](float number) { add(std::bit_cast<std::uint32_t>(number)); };
  const auto whole = [&](std::int64_t number) { add(static_cast<std::uint64_t>(number)); };
  tensor.spec.dtype = DType::kInt64;
  if (const auto* one = std::get_if<std::int64_t>(&value)) whole(*one);
  else if (const auto* number = std::get_if<float>(&value)) {
    real(*number);
    tensor.spec.dtype = DType::kFloat32;
  } else if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) {
    tensor.spec.shape = {static_cast<std::int64_t>(wholes->size())};
    for (const std::int64_t each : *wholes) whole(each);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    tensor.spec.shape = {static_cast<std::int64_t>(reals->size())};
    for (const float each : *reals) real(each);
    tensor.spec.dtype = DType::kFloat32;
  } else {
    return "";
  }
  return onnx::written_tensor(tensor);
}

std::string fresh_name(const Graph& graph, const std::string& wanted) {
  std::set<std::string> taken;
  for (const ModelTensor& tensor : graph.tensors) taken.insert(tensor.spec.name);
  std::string name = wanted;
  for (int i = 2; taken.count(name); ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

// The node with the change; all its attributes of that name are removed.
Splice changed_node(WireReader& reader, Run run, const Change& change, const std::string& input,
                    const std::string& attribute) {
  Splice node(reader.file());
  const Place root;
  std::size_t from = run.at;
  int inputs = 0;
  const auto drop = [&](const WireField& field, const std::string& instead) {
    node.keep({from, field.at - from});
    node.add(instead);
    from = field.run.at + field.run.size;
  };
  reader.each(run, root, [&](const WireField& field) {
    if (field.is_message(kInput) && change.input >= 0 && inputs++ == change.input)
      return drop(field, onnx::written_field(kInput, input));
    if (field.is_message(kOpType) && change.name == kOperatorType) return drop(field, "");
    if (!field.is_message(kAttribute) || change.input >= 0) return;
    std::string_view name;
    reader.each(field.run, root, [&](const WireField& inner) {
      if (inner.is_message(kAttributeName)) name = reader.text(inner.run);
    });
    if (name == change.name) drop(field, "");
  });
  node.keep({from, run.at + run.size - from});
  for (; change.input >= 0 && inputs <= change.input; ++inputs)
    node.add(onnx::written_field(kInput, inputs == change.input ? input : ""));
  if (change.name == kOperatorType) node.add(onnx::written_field(kOpType, attribute));
  else if (change.input < 0) node.add(onnx::written_field(kAttribute, attribute));
  return node;
}

// Index of the layer's node in the file.
Result<std::size_t> node_of(const Graph& graph, ByteView file, int layer) {
  WireReader reader(file, "the model");
  const onnx::Model model = onnx::read_model(reader);
  if (reader.failed()) return reader.error();
  int index = 0;
  for (const onnx::Node& node : model.graph.nodes)
    if (!onnx::folded_constant(node) && index++ == layer) {
      if (onnx::qualified_type(node) != graph.layers[at(layer)].type) break;
      return node.at;
    }
  return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
}

}  // namespace

Status set_attribute_onnx(const Graph& graph, Bytes& file, const Change& change) {
  const Layer& layer = graph.layers[at(change.layer)];
  EP_TRY(const auto place, node_of(graph, file, change.layer));
  const bool retyped = change.name == kOperatorType;
  const std::string input = change.input < 0
                                ? ""
                                : fresh_name(graph, "changed_" + std::to_string(change.layer) +
                                                        "_" + sanitized(change.name, 60));
  const auto* const type = std::get_if<std::string>(&change.value);
  const std::string attribute = change.input >= 0 ? written_value(input, change.value)
                                : retyped         ? (type ? *type : "")
                                          : onnx::written_attribute(change.name, change.value);
  constexpr int kMostInputs = 64;
  if (attribute.empty() || change.input >= kMostInputs)
    return refuse("'" + sanitized(change.name, 60) + "' of " + sanitized(layer.type, 60) +
                  " cannot be set to " + to_text(change.value));
  const auto model = onnx::with_graph_field(
      file, kNode,
      [&](WireReader& reader, const WireField& node) {
        return node.run.at == place
                   ? std::optional(changed_node(reader, node.run, change, input, attribute))
                   : std::nullopt;
      },
      "the node is not in the main graph",
      change.input >= 0 ? onnx::written_field(kInitializer, attribute) : std::string());
  if (!model) return model.error();
  if (model->size() > kMostBytes) return refuse("the changed file would exceed 2 GB");
  file = model->copy();
  return {};
}

}  // namespace edgeprobe::model
