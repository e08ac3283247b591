// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor_type.h"

namespace edgeprobe::engine {

DType dtype_of(int tflite_type) {
  switch (tflite_type) {
    case 1: return DType::kFloat32;
    case 2: return DType::kInt32;
    case 3: return DType::kUInt8;
    case 4: return DType::kInt64;
    case 6: return DType::kBool;
    case 7: return DType::kInt16;
    case 9: return DType::kInt8;
    case 10: return DType::kFloat16;
    case 11: return DType::kFloat64;
    case 13: return DType::kUInt64;
    case 16: return DType::kUInt32;
    case 17: return DType::kUInt16;
    case 18: return DType::kInt4;
    case 19: return DType::kBFloat16;
  }
  return DType::kOther;
}

const char* tflite_type_name(int tflite_type) {
  switch (tflite_type) {
    case 0: return "no type";
    case 5: return "string";
    case 8: return "complex64";
    case 12: return "complex128";
    case 14: return "resource";
    case 15: return "variant";
    case 20: return "int2";
  }
  const DType dtype = dtype_of(tflite_type);
  return dtype == DType::kOther ? "an unknown type" : name(dtype);
}

}  // namespace edgeprobe::engine
