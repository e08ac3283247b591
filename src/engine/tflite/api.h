// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "core/result.h"
#include "engine/shared_library.h"

/// The part of TFLite's C interface that edgeprobe uses, declared by us and bound at run time, so
/// that any library that exports it can be opened. Checked against 2.18.0.
namespace edgeprobe::engine::tflite {

struct CModel;
struct COptions;
struct CInterpreter;
struct CTensor;
struct CDelegate;
struct CContext;
struct CNode;
struct COperator;

enum : int { kOk = 0, kError = 1, kDelegateError = 2, kApplicationError = 3 };

struct IntArray {
  int size;
  int data[1];  ///< Actually of length `size`.
};
struct FloatArray {
  int size;
  float data[1];
};
struct QuantizationParams {
  float scale;
  std::int32_t zero_point;
};
struct AffineQuantization {
  FloatArray* scale;
  IntArray* zero_point;
  std::int32_t axis;
};
struct TensorQuantization {
  int type;  ///< 1: affine.
  AffineQuantization* affine;
};

/// The library fills this struct and takes it back; we change only the first two fields. It is
/// larger than in any version, because the library writes its own whole struct on return.
struct XnnpackOptions {
  std::int32_t threads;
  std::uint32_t flags;
  char rest[248];
};
/// Signed (1) and unsigned (2) 8-bit operators.
inline constexpr std::uint32_t kXnnpackQuantized = 3;

/// Exported by the library of an external delegate.
using PluginCreate = CDelegate*(const char* const* keys, const char* const* values,
                                std::size_t count, void (*report)(const char* message));
using PluginDestroy = void(CDelegate*);

/// A delegate written by us (see delegation.cc).
struct DelegateBuilder {
  void* data;
  int (*prepare)(CContext*, CDelegate*, void* data);
  void* copy_from_handle;
  void* copy_to_handle;
  void* free_handle;
  std::int64_t flags;
};
inline constexpr std::int64_t kAllowsDynamicTensors = 1;

/// The seven words of the telemetry profiler.
struct TelemetryProfiler {
  void* data;
  void (*event)(TelemetryProfiler*, const char* name, std::uint64_t status);
  void (*op_event)(TelemetryProfiler*, const char* name, std::int64_t op, std::int64_t subgraph,
                   std::uint64_t status);
  void (*settings)(TelemetryProfiler*, const char* name, const void* settings);
  std::uint32_t (*begin_op)(TelemetryProfiler*, const char* name, std::int64_t op,
                            std::int64_t subgraph);
  void (*end_op)(TelemetryProfiler*, std::uint32_t handle);
  void (*op_time)(TelemetryProfiler*, const char* name, std::uint64_t microseconds, std::int64_t op,
                  std::int64_t subgraph);
};

struct CustomAllocation {
  void* data;
  std::size_t bytes;
};

using Reporter = void(void* data, const char* format, va_list arguments);
using FindBuiltin = const void*(void* data, int op, int version);
using FindCustom = const void*(void* data, const char* name, int version);

struct Api {
  const char* (*version)();

  CModel* (*model_create)(const void* bytes, std::size_t size, Reporter* reporter, void* data);
  void (*model_delete)(CModel*);
  COptions* (*options_create)();
  void (*options_delete)(COptions*);
  void (*set_threads)(COptions*, std::int32_t threads);
  void (*set_error_reporter)(COptions*, Reporter* reporter, void* data);
  void (*add_delegate)(COptions*, CDelegate*);

  CInterpreter* (*interpreter_create)(const CModel*, const COptions*);
  void (*interpreter_delete)(CInterpreter*);
  int (*allocate)(CInterpreter*);
  int (*invoke)(CInterpreter*);
  int (*resize_input)(CInterpreter*, std::int32_t input, const int* dimensions, std::int32_t rank);
  std::int32_t (*input_count)(const CInterpreter*);
  std::int32_t (*output_count)(const CInterpreter*);
  CTensor* (*input)(const CInterpreter*, std::int32_t index);
  const CTensor* (*output)(const CInterpreter*, std::int32_t index);

  int (*tensor_type)(const CTensor*);
  std::int32_t (*tensor_rank)(const CTensor*);
  std::int32_t (*tensor_dimension)(const CTensor*, std::int32_t index);
  std::size_t (*tensor_bytes)(const CTensor*);
  void* (*tensor_data)(const CTensor*);
  const char* (*tensor_name)(const CTensor*);
  QuantizationParams (*tensor_quantization)(const CTensor*);

  // The following functions may be missing; each use checks that they exist.
  TensorQuantization (*full_quantization)(const CTensor*);
  void (*set_profiler)(COptions*, TelemetryProfiler*);
  void (*set_resolver)(COptions*, FindBuiltin*, FindCustom*, void* data);
  int (*modify_graph)(const CInterpreter*, CDelegate*);

  int (*set_allocation)(CInterpreter*, int tensor, const CustomAllocation*, std::int64_t flags);
  std::int32_t (*input_tensor)(const CInterpreter*, std::int32_t input);
  std::int32_t (*output_tensor)(const CInterpreter*, std::int32_t output);

  XnnpackOptions (*xnnpack_defaults)();
  CDelegate* (*xnnpack_create)(const XnnpackOptions*);
  void (*xnnpack_delete)(CDelegate*);

  CDelegate* (*delegate_create)(const DelegateBuilder*);
  void (*delegate_delete)(CDelegate*);
  int (*execution_plan)(CContext*, IntArray** plan);

  // C++ symbols of the library: the reference kernels.
  void (*reference_resolver_construct)(void* memory);
  void (*reference_resolver_destroy)(void* memory);
  FindBuiltin* find_builtin;
  FindCustom* find_custom;

  bool tells_delegation() const {
    return modify_graph && delegate_create && delegate_delete && execution_plan;
  }
  bool takes_memory() const { return set_allocation && input_tensor && output_tensor; }
  bool has_xnnpack() const { return xnnpack_defaults && xnnpack_create && xnnpack_delete; }
  bool has_reference_kernels() const {
    return set_resolver && reference_resolver_construct && find_builtin && find_custom;
  }
};

/// kUnsupported, naming the functions missing from the library.
Result<Api> bind(const SharedLibrary& library);

}  // namespace edgeprobe::engine::tflite
