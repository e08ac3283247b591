// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/types.h"

#include <array>

namespace edgeprobe::model::onnx {

std::optional<ElementType> element_type(int code) {
  static constexpr std::array<ElementType, 28> kTypes{
      {{DType::kFloat32, "float32", 32, 0},    {DType::kUInt8, "uint8", 8, 0},
       {DType::kInt8, "int8", 8, 0},           {DType::kUInt16, "uint16", 16, 0},
       {DType::kInt16, "int16", 16, 0},        {DType::kInt32, "int32", 32, 0},
       {DType::kInt64, "int64", 64, 0},        {DType::kOther, "string", 0, 0},
       {DType::kBool, "bool", 8, 0},           {DType::kFloat16, "float16", 16, 0},
       {DType::kFloat64, "float64", 64, 0},    {DType::kUInt32, "uint32", 32, 0},
       {DType::kUInt64, "uint64", 64, 0},      {DType::kOther, "complex64", 64, 0},
       {DType::kOther, "complex128", 128, 0},  {DType::kBFloat16, "bfloat16", 16, 0},
       {DType::kOther, "float8_e4m3fn", 8, 0}, {DType::kOther, "float8_e4m3fnuz", 8, 0},
       {DType::kOther, "float8_e5m2", 8, 0},   {DType::kOther, "float8_e5m2fnuz", 8, 0},
       {DType::kOther, "uint4", 4, 2},         {DType::kInt4, "int4", 4, 2},
       {DType::kOther, "float4_e2m1", 4, 2},   {DType::kOther, "float8_e8m0", 8, 0},
       {DType::kOther, "uint2", 2, 4},         {DType::kOther, "int2", 2, 4},
       {DType::kOther, "float6_e2m3", 6, 0},   {DType::kOther, "float6_e3m2", 6, 0}}};
  if (code < 1 || code > static_cast<int>(kTypes.size())) return std::nullopt;
  return kTypes[static_cast<std::size_t>(code - 1)];
}

int code_of(DType dtype, std::string_view stored_type) {
  for (int code = 1;; ++code) {
    const auto element = element_type(code);
    if (!element) return 0;
    if (element->dtype == dtype && (dtype != DType::kOther || element->name == stored_type))
      return code;
  }
}

}  // namespace edgeprobe::model::onnx
