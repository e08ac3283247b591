// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/dtype.h"

namespace edgeprobe::model::onnx {

/// TensorProto.DataType.
struct ElementType {
  DType dtype = DType::kOther;
  const char* name = "";  ///< "float8_e4m3fn"; for kOther the value of ModelTensor::stored_type.
  int bits = 0;           ///< Bits of one element in raw_data; 0: no fixed size.
  int per_entry = 0;      ///< Elements per entry of int32_data, if several; else 0.
};

/// Nothing for a code unknown to the format (including 0).
std::optional<ElementType> element_type(int code);

/// TensorProto.DataType; 0 for a type that the format lacks. `stored_type` distinguishes types of
/// kOther, as in ModelTensor.
int code_of(DType dtype, std::string_view stored_type = {});

}  // namespace edgeprobe::model::onnx
