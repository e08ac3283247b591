// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/result.h"
#include "engine/shared_library.h"
#include "engine/version.h"

/// The part of LiteRT's C interface that edgeprobe uses, declared by us and bound at run time.
/// Checked against 2.3.0; in other versions the same names take other arguments, so a library is
/// recognised by its hash.
namespace edgeprobe::engine::litert {

/// Up to 2.1.5 these functions take other arguments, and every load fails.
inline constexpr TriedVersions kTriedVersions{{2, 1, 6}, {2, 3}};

struct CEnvironment;
struct CModel;
struct COptions;
struct COpaque;
struct CCompiled;
struct CSignature;
struct CSubgraph;
struct CTensor;
struct CRequirements;
struct CBuffer;
struct CProfiler;
struct CAccelerator;

inline constexpr int kOk = 0;
inline constexpr std::size_t kMostDimensions = 8;

struct EnvironmentOption {
  std::int32_t tag;
  alignas(8) std::int32_t type;
  union {
    std::int64_t number;
    const char* text;  ///< The runtime keeps a copy.
  } value;
};
static_assert(sizeof(EnvironmentOption) == 24);
/// Folder in which accelerators are searched.
inline constexpr std::int32_t kTagRuntimeFolder = 22;
inline constexpr std::int32_t kTagAutoRegister = 24;  ///< The set of hardware.
inline constexpr std::int32_t kTagMinSeverity = 25;
inline constexpr std::int32_t kTypeInt = 2;
inline constexpr std::int32_t kTypeText = 8;
inline constexpr int kCpu = 1;  ///< A bit in a set of hardware.
inline constexpr int kGpu = 2;
inline constexpr int kSilent = 4;

struct Layout {
  std::uint32_t rank_and_flag;  ///< Rank in the low 7 bits, "has strides" above.
  std::int32_t dimensions[kMostDimensions];
  std::uint32_t strides[kMostDimensions];
  std::size_t rank() const { return rank_and_flag & 127u; }
};
struct RankedType {
  std::int32_t element;
  Layout layout;
};
static_assert(sizeof(RankedType) == 72);

struct PerTensor {
  float scale;
  std::int64_t zero_point;
};
struct PerChannel {
  std::int32_t axis;
  std::uint64_t count;
  float* scales;
  std::int64_t* zero_points;
};
enum : int { kNotQuantized = 0, kPerTensor = 1, kPerChannel = 2 };

inline constexpr int kHostMemory = 1;
enum : int { kLockRead = 0, kLockWrite = 1 };

/// One event of the profiler (library 2.3.0: 13 words).
struct ProfilerEvent {
  const char* tag;
  std::uint64_t type;  ///< 1: the runtime, 2: an operator, 4 and 8: one inside a delegate.
  std::uint64_t start_us;
  std::uint64_t elapsed_us;
  std::uint64_t memory[6];
  std::uint64_t index;
  std::uint64_t subgraph;
  std::uint64_t source;
};
static_assert(sizeof(ProfilerEvent) == 104);

struct Api {
  int (*create_environment)(int count, const EnvironmentOption*, CEnvironment**);
  void (*destroy_environment)(CEnvironment*);

  int (*create_model)(CEnvironment*, const void* bytes, std::size_t size, CModel**);
  void (*destroy_model)(CModel*);
  int (*signature_count)(CModel*, std::size_t*);
  int (*signature)(CModel*, std::size_t index, CSignature**);
  int (*main_subgraph_index)(CModel*, std::size_t*);
  int (*subgraph)(CModel*, std::size_t index, CSubgraph**);
  int (*signature_subgraph)(CSignature*, CSubgraph**);
  int (*signature_input_count)(CSignature*, std::size_t*);
  int (*signature_output_count)(CSignature*, std::size_t*);
  int (*signature_input)(CSignature*, std::size_t index, CTensor**);
  int (*signature_output)(CSignature*, std::size_t index, CTensor**);
  int (*subgraph_input_count)(CSubgraph*, std::size_t*);
  int (*subgraph_output_count)(CSubgraph*, std::size_t*);
  int (*subgraph_input)(CSubgraph*, std::size_t index, CTensor**);
  int (*subgraph_output)(CSubgraph*, std::size_t index, CTensor**);
  int (*subgraph_op_count)(CSubgraph*, std::size_t*);

  int (*tensor_name)(CTensor*, const char**);
  int (*tensor_type)(CTensor*, RankedType*);
  int (*quantization_kind)(CTensor*, int*);
  int (*per_tensor)(CTensor*, PerTensor*);
  int (*per_channel)(CTensor*, PerChannel*);

  int (*create_options)(COptions**);
  void (*destroy_options)(COptions*);
  int (*set_accelerators)(COptions*, int set);
  int (*create_opaque)(const char* identifier, void* payload, void (*destroy)(void*), COpaque**);
  int (*add_opaque)(COptions*, COpaque*);

  int (*compile)(CEnvironment*, CModel*, COptions*, CCompiled**);
  void (*destroy_compiled)(CCompiled*);
  int (*resize_input)(CCompiled*, std::size_t signature, std::size_t input, const int* dimensions,
                      std::size_t rank);
  int (*input_layout)(CCompiled*, std::size_t signature, std::size_t input, Layout*);
  int (*output_layouts)(CCompiled*, std::size_t signature, std::size_t count, Layout*, bool update);
  int (*input_requirements)(CCompiled*, std::size_t signature, std::size_t input, CRequirements**);
  int (*output_requirements)(CCompiled*, std::size_t signature, std::size_t output,
                             CRequirements**);
  int (*requirements_size)(CRequirements*, std::size_t*);
  int (*run)(CCompiled*, std::size_t signature, std::size_t inputs, CBuffer**, std::size_t outputs,
             CBuffer**);
  int (*error_messages)(CCompiled*, char** text);
  int (*clear_errors)(CCompiled*);

  int (*create_buffer)(CEnvironment*, const RankedType*, CRequirements*, CBuffer**);
  int (*create_sized_buffer)(CEnvironment*, int kind, const RankedType*, std::size_t size,
                             CBuffer**);
  void (*destroy_buffer)(CBuffer*);
  int (*lock)(CBuffer*, void** memory, int mode);
  int (*unlock)(CBuffer*);
  int (*buffer_size)(CBuffer*, std::size_t*);

  int (*profiler)(CCompiled*, CProfiler**);
  int (*start_profiler)(CProfiler*);
  int (*stop_profiler)(CProfiler*);
  int (*reset_profiler)(CProfiler*);
  int (*event_count)(CProfiler*, int*);
  int (*events)(CProfiler*, int count, ProfilerEvent*);

  // The following functions may be missing from the library.
  /// Uses the caller's memory, aligned to 64 bytes.
  int (*create_host_buffer)(const RankedType*, void* memory, std::size_t size,
                            void (*release)(void*), CBuffer**);
  int (*accelerator_count)(CEnvironment*, std::size_t*);
  int (*accelerator)(CEnvironment*, std::size_t index, CAccelerator**);
  int (*accelerator_hardware)(CAccelerator*, int* set);
  int (*create_accelerator)(CAccelerator**);
  int (*set_accelerator_name)(CAccelerator*, int (*tell)(const void*, const char**));
  int (*set_accelerator_version)(CAccelerator*,
                                 int (*tell)(const void*, std::int32_t* three_numbers));
  int (*set_accelerator_hardware)(CAccelerator*, int (*tell)(const void*, int* set));
  int (*set_accelerator_delegate)(CAccelerator*, int (*create)(void* context, CEnvironment*,
                                                               const void* accelerator, COptions*,
                                                               void** wrapper));
  int (*register_accelerator)(CEnvironment*, CAccelerator*, void* data, void (*release)(void*));
  int (*wrap_delegate)(void* delegate, void (*destroy)(void*), void** wrapper);

  bool tells_accelerators() const {
    return accelerator_count && accelerator && accelerator_hardware;
  }
  bool takes_accelerators() const {
    return create_accelerator && set_accelerator_name && set_accelerator_version &&
           set_accelerator_hardware && set_accelerator_delegate && register_accelerator &&
           wrap_delegate;
  }
};

/// kUnsupported, naming the functions missing from the library.
Result<Api> bind(const SharedLibrary& library);

/// Meaning of a LiteRT status number, for messages.
std::string status_text(int status);

}  // namespace edgeprobe::engine::litert
