// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// An attribute that is not read as numbers or text: "tensor", "graph", "type" or a list of them.
struct OpaqueAttribute {
  std::string kind;
  bool operator==(const OpaqueAttribute&) const = default;
};

using AttributeValue =
    std::variant<bool, std::int64_t, float, std::string, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<std::string>, OpaqueAttribute>;

/// One thing that the file says of how an operator computes, besides its tensors: "filter_width",
/// 8; "fused_activation", "RELU6"; "strides", [2, 2].
struct Attribute {
  std::string name;
  AttributeValue value;
};
using Attributes = std::vector<Attribute>;

/// "8", "true", "RELU6", "[2, 2]"; reals with six digits.
std::string to_text(const AttributeValue& value);

/// The attributes of each layer, in the order of the file.
/// .tflite: the options that are known to change what comes out, under names of the schema, with
/// the schema's own value where the file leaves one out; none for operators without such options
/// and custom ones. .onnx: those that the node has. What a node leaves out has the operator's
/// default, which is not filled in. kUsage when graph and file do not belong together, otherwise as
/// the reader.
Result<std::vector<Attributes>> attributes(const Graph& graph, ByteView file);

/// What the operator computes with where its node leaves that attribute out. Nothing for an
/// attribute without a default, for lists that are as long as the operator has dimensions (strides
/// and dilations are 1 then, pads 0), and for .tflite, whose attributes() are complete.
std::optional<AttributeValue> default_attribute(const Graph& graph, const Layer& layer,
                                                const std::string& name);

}  // namespace edgeprobe::model
