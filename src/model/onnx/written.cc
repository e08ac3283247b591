// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/written.h"

#include <bit>

#include "core/protobuf.h"
#include "model/onnx/types.h"

namespace edgeprobe::model::onnx {
namespace {

constexpr std::uint32_t kAttributeName = 1, kAttributeType = 20;  // Fields of an AttributeProto.
constexpr std::uint32_t kReal = 2, kWhole = 3, kText = 4, kReals = 7, kWholes = 8;
constexpr std::uint64_t kFloatType = 1, kIntType = 2, kStringType = 3, kFloatsType = 6,
                        kIntsType = 7;  // AttributeType.
// Fields of a TensorProto.
constexpr std::uint32_t kDims = 1, kDataType = 2, kTensorName = 8, kRaw = 9;
// Fields of a ValueInfoProto.
constexpr std::uint32_t kValueName = 1, kType = 2;
constexpr std::uint32_t kTensorType = 1, kElement = 1, kShape = 2, kDimension = 1,
                        // Fields of a TypeProto, and of its messages for tensors.
    kDimensionValue = 1;
constexpr std::uint32_t kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5,
                        kDomain = 7;  // Fields of a NodeProto.

}  // namespace

std::string written_attribute(const std::string& name, const AttributeValue& value) {
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

std::string written_tensor(const edgeprobe::Tensor& tensor) {
  const auto code = static_cast<std::uint64_t>(code_of(tensor.spec.dtype));
  if (code == 0) return "";
  ProtoWriter out;
  for (const std::int64_t dimension : tensor.spec.shape)
    out.whole(kDims, static_cast<std::uint64_t>(dimension));
  out.whole(kDataType, code);
  out.bytes(kTensorName, tensor.spec.name).bytes(kRaw, ByteView(tensor.bytes).text());
  return std::move(out).text();
}

std::string written_value_info(const TensorSpec& spec) {
  const auto code = static_cast<std::uint64_t>(code_of(spec.dtype));
  if (code == 0) return "";
  ProtoWriter shape, tensor, type, out;
  for (const std::int64_t dimension : spec.shape)
    shape.bytes(kDimension,
                ProtoWriter().whole(kDimensionValue, static_cast<std::uint64_t>(dimension)));
  tensor.whole(kElement, code).bytes(kShape, shape);
  type.bytes(kTensorType, tensor);
  out.bytes(kValueName, spec.name).bytes(kType, type);
  return std::move(out).text();
}

std::string written_value_type(const std::string& name, DType dtype) {
  const auto code = static_cast<std::uint64_t>(code_of(dtype));
  if (code == 0) return "";
  ProtoWriter tensor, type, out;
  tensor.whole(kElement, code);
  type.bytes(kTensorType, tensor);
  out.bytes(kValueName, name).bytes(kType, type);
  return std::move(out).text();
}

std::string written_node(const NewLayer& layer) {
  ProtoWriter out;
  for (const std::string& input : layer.inputs) out.bytes(kInput, input);
  for (const std::string& output : layer.outputs) out.bytes(kOutput, output);
  const std::size_t colon = layer.type.rfind(':');
  const bool has_domain = colon != std::string::npos;
  out.bytes(kName, layer.name);
  out.bytes(kOpType, has_domain ? layer.type.substr(colon + 1) : layer.type);
  for (const Attribute& attribute : layer.attributes) {
    const std::string written = written_attribute(attribute.name, attribute.value);
    if (written.empty()) return "";
    out.bytes(kAttribute, written);
  }
  if (has_domain) out.bytes(kDomain, layer.type.substr(0, colon));
  return std::move(out).text();
}

}  // namespace edgeprobe::model::onnx
