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
#include "model/onnx/read_model.h"
#include "model/onnx/splice.h"
#include "model/same.h"

namespace edgeprobe::model {
namespace {

using onnx::Splice;

constexpr std::uint32_t kNode = 1, kInitializer = 5;              // GraphProto.
constexpr std::uint32_t kInput = 1, kOpType = 4, kAttribute = 5;  // NodeProto.
constexpr std::uint32_t kAttributeName = 1, kAttributeType = 20;  // AttributeProto.
constexpr std::uint32_t kReal = 2, kWhole = 3, kText = 4, kReals = 7, kWholes = 8;
constexpr std::uint32_t kDims = 1, kDataType = 2, kTensorName = 8, kRaw = 9;  // TensorProto.
constexpr std::uint64_t kFloatType = 1, kIntType = 2, kStringType = 3, kFloatsType = 6,
                        kIntsType = 7;             // AttributeType.
constexpr std::uint64_t kFloat32 = 1, kInt64 = 7;  // DataType.

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

// AttributeProto; empty for a value that is none of numbers and text.
std::string written(const std::string& name, const AttributeValue& value) {
  ProtoWriter out;
  out.bytes(kAttributeName, name);
  if (const auto* flag = std::get_if<bool>(&value))
    out.whole(kWhole, *flag ? 1 : 0).whole(kAttributeType, kIntType);
  else if (const auto* whole = std::get_if<std::int64_t>(&value))
    out.whole(kWhole, static_cast<std::uint64_t>(*whole)).whole(kAttributeType, kIntType);
  else if (const auto* real = std::get_if<float>(&value))
    out.fixed32(kReal, std::bit_cast<std::uint32_t>(*real)).whole(kAttributeType, kFloatType);
  else if (const auto* text = std::get_if<std::string>(&value))
    out.bytes(kText, *text).whole(kAttributeType, kStringType);
  else if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) {
    for (const std::int64_t one : *wholes) out.whole(kWholes, static_cast<std::uint64_t>(one));
    out.whole(kAttributeType, kIntsType);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    for (const float one : *reals) out.fixed32(kReals, std::bit_cast<std::uint32_t>(one));
    out.whole(kAttributeType, kFloatsType);
  } else {
    return "";
  }
  return std::move(out).text();
}

// TensorProto of numbers: a scalar for one number alone, else a list.
std::string written_tensor(const std::string& name, const AttributeValue& value) {
  std::string raw;
  const auto add = [&](auto number) {
    std::byte bytes[sizeof number];
    store_little(bytes, number);
    raw += ByteView(bytes, sizeof bytes).text();
  };
  const auto real = [&](float number) { add(std::bit_cast<std::uint32_t>(number)); };
  const auto whole = [&](std::int64_t number) { add(static_cast<std::uint64_t>(number)); };
  ProtoWriter out;
  std::uint64_t type = kInt64;
  if (const auto* one = std::get_if<std::int64_t>(&value)) whole(*one);
  else if (const auto* number = std::get_if<float>(&value)) {
    real(*number);
    type = kFloat32;
  } else if (const auto* wholes = std::get_if<std::vector<std::int64_t>>(&value)) {
    out.whole(kDims, wholes->size());
    for (const std::int64_t each : *wholes) whole(each);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    out.whole(kDims, reals->size());
    for (const float each : *reals) real(each);
    type = kFloat32;
  } else {
    return "";
  }
  out.whole(kDataType, type).bytes(kTensorName, name).bytes(kRaw, raw);
  return std::move(out).text();
}

std::string fresh_name(const Graph& graph, const std::string& wanted) {
  std::set<std::string> taken;
  for (const ModelTensor& tensor : graph.tensors) taken.insert(tensor.spec.name);
  std::string name = wanted;
  for (int i = 2; taken.count(name); ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

// The node with the change; its attributes of that name are gone, however often they stand there.
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

// The place of the layer's node in the file.
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
  const auto place = node_of(graph, file, change.layer);
  if (!place) return place.error();
  const bool retyped = change.name == kOperatorType;
  const std::string input = change.input < 0
                                ? ""
                                : fresh_name(graph, "changed_" + std::to_string(change.layer) +
                                                        "_" + sanitized(change.name, 60));
  const auto* const type = std::get_if<std::string>(&change.value);
  const std::string attribute = change.input >= 0 ? written_tensor(input, change.value)
                                : retyped         ? (type ? *type : "")
                                                  : written(change.name, change.value);
  constexpr int kMostInputs = 64;
  if (attribute.empty() || change.input >= kMostInputs)
    return refuse("'" + sanitized(change.name, 60) + "' of " + sanitized(layer.type, 60) +
                  " cannot be set to " + to_text(change.value));
  const auto model = onnx::with_graph_field(
      file, kNode,
      [&](WireReader& reader, const WireField& node) {
        return node.run.at == *place
                   ? std::optional(changed_node(reader, node.run, change, input, attribute))
                   : std::nullopt;
      },
      "the node is not in the main graph",
      change.input >= 0 ? onnx::written_field(kInitializer, attribute) : std::string());
  if (!model) return model.error();
  if (model->size() > kMostBytes) return refuse("the changed file would pass 2 GB");
  file = model->copy();
  return {};
}

}  // namespace edgeprobe::model
