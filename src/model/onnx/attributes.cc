// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/onnx.h"

#include "model/onnx/proto.h"

namespace edgeprobe::model {
namespace {

// AttributeProto.AttributeType.
enum Type {
  kFloat = 1,
  kInt,
  kString,
  kTensor,
  kGraph,
  kFloats,
  kInts,
  kStrings,
  kTensors,
  kGraphs,
  kSparse,
  kSparses,
  kTypeProto,
  kTypeProtos
};

// The first versions of the format omit the type: it follows from the field that is present.
int type_of(const onnx::Attribute& attribute) {
  if (attribute.type != 0) return attribute.type;
  if (attribute.integer) return kInt;
  if (attribute.real) return kFloat;
  if (attribute.text.data()) return kString;
  if (attribute.tensor) return kTensor;
  if (attribute.has_graph) return kGraph;
  if (attribute.is_sparse) return kSparse;
  if (!attribute.reals.empty()) return kFloats;
  if (!attribute.texts.empty()) return kStrings;
  return kInts;
}

AttributeValue value_of(const onnx::Attribute& attribute) {
  switch (type_of(attribute)) {
    case kFloat: return attribute.real.value_or(0.0f);  // Writers may omit a 0.
    case kInt: return attribute.integer.value_or(0);
    case kString: return std::string(attribute.text);
    case kFloats: return attribute.reals;
    case kInts: return attribute.integers;
    case kStrings: return std::vector<std::string>(attribute.texts.begin(), attribute.texts.end());
    case kTensor: return OpaqueAttribute{"tensor"};
    case kTensors: return OpaqueAttribute{"tensors"};
    case kGraph: return OpaqueAttribute{"graph"};
    case kGraphs: return OpaqueAttribute{"graphs"};
    case kSparse: return OpaqueAttribute{"sparse tensor"};
    case kSparses: return OpaqueAttribute{"sparse tensors"};
    case kTypeProto: return OpaqueAttribute{"type"};
    case kTypeProtos: return OpaqueAttribute{"types"};
    default: return OpaqueAttribute{"unknown"};
  }
}

}  // namespace

Result<std::vector<Attributes>> attributes_onnx(const Graph& graph, ByteView file) {
  WireReader reader(file, "the model");
  const onnx::Model model = onnx::read_model(reader);
  if (reader.failed()) return reader.error();
  std::vector<Attributes> all;
  for (const onnx::Node& node : model.graph.nodes) {
    if (onnx::folded_constant(node)) continue;
    Attributes& own = all.emplace_back();
    for (const onnx::Attribute& attribute : node.attributes)
      own.push_back({std::string(attribute.name), value_of(attribute)});
  }
  if (all.size() != graph.layers.size())
    return Error{ErrorKind::kUsage, "the graph and the file do not belong together"};
  return all;
}

}  // namespace edgeprobe::model
