// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/dtype.h"

namespace edgeprobe::model::onnx {

/// TensorProto.DataType.
struct ElementType {
  DType dtype = DType::kOther;
  const char* name = "";  ///< "float8_e4m3fn"; for kOther what ModelTensor::stored_type says.
  int bits = 0;           ///< Of one element in raw_data; 0: no fixed size.
  int per_entry = 0;      ///< Elements in one entry of int32_data, where there are several; else 0.
};

/// Nothing for a code that the format does not know (0 among them).
std::optional<ElementType> element_type(int code);

/// TensorProto.DataType; 0 for a type that the format has none for. `stored_type` tells types of
/// kOther apart, as ModelTensor has it.
int code_of(DType dtype, std::string_view stored_type = {});

}  // namespace edgeprobe::model::onnx
