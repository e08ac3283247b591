// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/graph.h"

namespace edgeprobe::model {

/// An attribute that is neither numbers nor text: "tensor", "graph", "type" or a list of them.
struct OpaqueAttribute {
  std::string kind;
  bool operator==(const OpaqueAttribute&) const = default;
};

using AttributeValue =
    std::variant<bool, std::int64_t, float, std::string, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<std::string>, OpaqueAttribute>;

/// One option of an operator in the file, besides its tensors: "filter_width", 8;
/// "fused_activation", "RELU6"; "strides", [2, 2].
struct Attribute {
  std::string name;
  AttributeValue value;
};
using Attributes = std::vector<Attribute>;

/// "8", "true", "RELU6", "[2, 2]"; reals with six digits.
std::string to_text(const AttributeValue& value);

/// The attributes of each layer, in file order. .tflite: the options known to affect the result,
/// under their schema names, with the schema's default if the file omits one; none for operators
/// without such options and custom ones. .onnx: those of the node. Omitted ones have the operator's
/// default, which is not filled in. kUsage if graph and file do not match, else like the reader.
Result<std::vector<Attributes>> attributes(const Graph& graph, ByteView file);

/// The default of an attribute that the operator's node omits. Nothing for an attribute without a
/// default, for lists whose length depends on the number of dimensions (strides and dilations are
/// then 1, pads 0), and for .tflite, whose attributes() are complete.
std::optional<AttributeValue> default_attribute(const Graph& graph, const Layer& layer,
                                                const std::string& name);

}  // namespace edgeprobe::model
