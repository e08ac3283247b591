// SPDX-License-Identifier: Apache-2.0
#include "engine/openvino/library.h"

#include <utility>

namespace edgeprobe::engine::openvino {

DType dtype_of(std::string_view type) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f32", DType::kFloat32}, {"f16", DType::kFloat16}, {"bf16", DType::kBFloat16},
      {"f64", DType::kFloat64}, {"i8", DType::kInt8},     {"u8", DType::kUInt8},
      {"i16", DType::kInt16},   {"u16", DType::kUInt16},  {"i32", DType::kInt32},
      {"u32", DType::kUInt32},  {"i64", DType::kInt64},   {"u64", DType::kUInt64},
      {"boolean", DType::kBool}};
  for (const auto& [name, dtype] : kTypes)
    if (type == name) return dtype;
  return DType::kOther;
}

}  // namespace edgeprobe::engine::openvino
