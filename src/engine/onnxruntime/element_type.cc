// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/runtime.h"

#include "engine/onnxruntime/api.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

struct Entry {
  int number;
  DType dtype;
};
constexpr Entry kTypes[] = {
    {1, DType::kFloat32},   {2, DType::kUInt8},    {3, DType::kInt8},    {4, DType::kUInt16},
    {5, DType::kInt16},     {6, DType::kInt32},    {7, DType::kInt64},   {9, DType::kBool},
    {10, DType::kFloat16},  {11, DType::kFloat64}, {12, DType::kUInt32}, {13, DType::kUInt64},
    {16, DType::kBFloat16},
};

}  // namespace

DType dtype_of(int element_type) {
  for (const Entry& entry : kTypes)
    if (entry.number == element_type) return entry.dtype;
  return DType::kOther;
}

int number_of(DType dtype) {
  for (const Entry& entry : kTypes)
    if (entry.dtype == dtype) return entry.number;
  return 0;
}

const char* type_name(int element_type) {
  switch (element_type) {
    case 0: return "no type";
    case 8: return "string";
    case 14: return "complex64";
    case 15: return "complex128";
    case 17:
    case 18:
    case 19:
    case 20: return "float8";
    case 21: return "uint4";
    case 22: return "int4";
    case 23: return "float4";
    case 24: return "uint2";
    case 25: return "int2";
  }
  const DType dtype = dtype_of(element_type);
  return dtype == DType::kOther ? "an unknown type" : name(dtype);
}

const char* kind_name(int kind) {
  switch (kind) {
    case kTensor: return "a tensor";
    case kSequence: return "a sequence";
    case kMap: return "a map";
    case kSparseTensor: return "a sparse tensor";
    case kOptional: return "optional";
  }
  return "of an unknown kind";
}

}  // namespace edgeprobe::engine::onnxruntime
