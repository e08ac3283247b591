// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "engine/shared_library.h"
#include "engine/version.h"

/// The part of ONNX Runtime's C interface that edgeprobe uses, declared by us. The library exports
/// one function, which returns a table of function pointers; later versions only append to it, so a
/// number always names the same function. Checked against 1.31.1.
namespace edgeprobe::engine::onnxruntime {

struct CStatus;
struct CEnv;
struct CSession;
struct CSessionOptions;
struct CRunOptions;
struct CValue;
struct CMemoryInfo;
struct CTypeInfo;
struct CTensorInfo;
struct CAllocator;
struct CEpDevice;

/// Each minor version from 1.19 on; earlier wheels contain no separate library.
inline constexpr TriedVersions kTriedVersions{{1, 19}, {1, 32}};
/// Every accepted version has the table of 1.14.
inline constexpr std::uint32_t kTableVersion = 14;
enum : int { kLogFatal = 4 };
enum : int { kSequential = 0, kParallel = 1 };
enum : int { kDeviceAllocator = 0, kDefaultMemory = 0 };
/// Kind of a value; ONNXType.
enum : int {
  kUnknownValue = 0,
  kTensor = 1,
  kSequence = 2,
  kMap = 3,
  kOpaque = 4,
  kSparseTensor = 5,
  kOptional = 6
};

struct Api {
  const char* (*error_message)(const CStatus*);
  void (*release_status)(CStatus*);

  CStatus* (*create_env)(int severity, const char* name, CEnv** env);
  void (*release_env)(CEnv*);
  CStatus* (*disable_telemetry)(const CEnv*);

  CStatus* (*create_session)(const CEnv*, const void* model, std::size_t size,
                             const CSessionOptions*, CSession**);
  void (*release_session)(CSession*);
  CStatus* (*run)(CSession*, const CRunOptions*, const char* const* input_names,
                  const CValue* const* inputs, std::size_t input_count,
                  const char* const* output_names, std::size_t output_count, CValue** outputs);

  CStatus* (*create_session_options)(CSessionOptions**);
  void (*release_session_options)(CSessionOptions*);
  CStatus* (*set_optimized_model_path)(CSessionOptions*, const char* path);
  CStatus* (*set_execution_mode)(CSessionOptions*, int mode);
  CStatus* (*set_severity)(CSessionOptions*, int severity);
  CStatus* (*set_optimization)(CSessionOptions*, int level);
  CStatus* (*set_intra_threads)(CSessionOptions*, int threads);
  CStatus* (*set_inter_threads)(CSessionOptions*, int threads);
  CStatus* (*add_config)(CSessionOptions*, const char* key, const char* value);
  /// Loads the library and calls its RegisterCustomOps.
  CStatus* (*register_custom_ops)(CSessionOptions*, const char* library);

  CStatus* (*input_count)(const CSession*, std::size_t* count);
  CStatus* (*output_count)(const CSession*, std::size_t* count);
  CStatus* (*input_type)(const CSession*, std::size_t index, CTypeInfo**);
  CStatus* (*output_type)(const CSession*, std::size_t index, CTypeInfo**);
  CStatus* (*input_name)(const CSession*, std::size_t index, CAllocator*, char** name);
  CStatus* (*output_name)(const CSession*, std::size_t index, CAllocator*, char** name);
  CStatus* (*allocator)(CAllocator**);  ///< The library's own allocator; never released.
  CStatus* (*allocator_free)(CAllocator*, void*);

  CStatus* (*type_kind)(const CTypeInfo*, int* kind);
  /// The result belongs to the type; null if the type is not a tensor.
  CStatus* (*tensor_info)(const CTypeInfo*, const CTensorInfo**);
  void (*release_type)(CTypeInfo*);
  CStatus* (*element_type)(const CTensorInfo*, int* type);
  CStatus* (*rank)(const CTensorInfo*, std::size_t* rank);
  CStatus* (*dimensions)(const CTensorInfo*, std::int64_t* dimensions, std::size_t rank);
  /// "" if a dimension has no name; the texts belong to the type.
  CStatus* (*dimension_names)(const CTensorInfo*, const char** names, std::size_t rank);
  void (*release_tensor_info)(CTensorInfo*);

  CStatus* (*create_run_options)(CRunOptions**);
  void (*release_run_options)(CRunOptions*);

  CStatus* (*create_memory_info)(int allocator, int memory, CMemoryInfo**);
  void (*release_memory_info)(CMemoryInfo*);
  CStatus* (*create_tensor)(const CMemoryInfo*, void* data, std::size_t bytes,
                            const std::int64_t* shape, std::size_t rank, int element_type,
                            CValue**);
  CStatus* (*value_kind)(const CValue*, int* kind);
  CStatus* (*value_info)(const CValue*, CTensorInfo**);  ///< The caller releases the result.
  CStatus* (*value_data)(CValue*, void** data);
  void (*release_value)(CValue*);

  // Null in libraries before 1.22: providers in separate libraries.
  CStatus* (*register_provider)(CEnv*, const char* name, const char* path);
  CStatus* (*unregister_provider)(CEnv*, const char* name);
  CStatus* (*provider_devices)(const CEnv*, const CEpDevice* const** devices, std::size_t* count);
  CStatus* (*append_provider)(CSessionOptions*, CEnv*, const CEpDevice* const* devices,
                              std::size_t device_count, const char* const* keys,
                              const char* const* values, std::size_t option_count);
  const char* (*provider_name)(const CEpDevice*);

  // A profile of one run; null in libraries before 1.25 and in untested ones.
  CStatus* (*enable_run_profile)(CRunOptions*, const char* file_prefix);

  bool takes_providers() const { return register_provider != nullptr; }
  bool profiles_runs() const { return enable_run_profile != nullptr; }
};

/// A library's description of itself, available before its table.
struct Base {
  const void* (*get_api)(std::uint32_t version);
  const char* (*version)();
};
/// kUnsupported if the library does not export OrtGetApiBase.
Result<const Base*> base_of(const SharedLibrary& library);
/// kUnsupported if it has no table of version 14, as before 1.14.
Result<Api> bind(const Base& base, const SharedLibrary& library);

}  // namespace edgeprobe::engine::onnxruntime
