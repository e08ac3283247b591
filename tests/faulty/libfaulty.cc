// SPDX-License-Identifier: Apache-2.0
// TFLite's C interface as edgeprobe binds it (src/engine/tflite/api.h), forwarded to the real
// library: $EDGEPROBE_FAULTY_REAL, or the one that edgeprobe would open. EDGEPROBE_FAULT (fault.h)
// names what is corrupted; without it nothing is touched.
#include <cstdlib>

#include "engine/library_choice.h"
#include "engine/tflite/api.h"
#include "plant.h"

namespace {

using namespace edgeprobe;
using namespace edgeprobe::engine::tflite;

/// The real library, or the reason why it is missing.
struct Real {
  std::optional<engine::SharedLibrary> library;
  Api api{};
  faulty::Plant* plant = nullptr;
  std::string wrong;

  Real() {
    engine::EngineChoice choice{"tflite", {}};
    if (const char* const given = std::getenv("EDGEPROBE_FAULTY_REAL")) choice.library = given;
    const auto path = engine::library_of(choice);
    if (!path) {
      wrong = path.error().what;
      return;
    }
    auto opened = engine::SharedLibrary::open(*path);
    if (!opened) {
      wrong = opened.error().what;
      return;
    }
    library.emplace(*std::move(opened));
    auto bound = bind(*library);
    if (!bound) {
      wrong = bound.error().what;
      return;
    }
    api = *bound;
    plant = faulty::plant_of_environment(api, wrong);
  }
};

Real& real() {
  static Real it;
  return it;
}

}  // namespace

#define FORWARD(result, name, member, parameters, arguments)      \
  __attribute__((visibility("default"))) result name parameters { \
    return real().api.member arguments;                           \
  }

extern "C" {

/// Only this function can report a problem before a model is loaded: edgeprobe prints a version
/// that it does not know.
__attribute__((visibility("default"))) const char* TfLiteVersion() {
  return real().wrong.empty() ? real().api.version() : real().wrong.c_str();
}

__attribute__((visibility("default"))) CInterpreter* TfLiteInterpreterCreate(
    const CModel* model, const COptions* options) {
  if (!real().wrong.empty()) return nullptr;
  CInterpreter* const interpreter = real().api.interpreter_create(model, options);
  if (!interpreter || !real().plant || real().plant->into(interpreter)) return interpreter;
  real().api.interpreter_delete(interpreter);
  real().plant->forget(interpreter);
  return nullptr;
}

__attribute__((visibility("default"))) void TfLiteInterpreterDelete(CInterpreter* interpreter) {
  real().api.interpreter_delete(interpreter);
  if (real().plant) real().plant->forget(interpreter);
}

FORWARD(CModel*, TfLiteModelCreateWithErrorReporter, model_create,
        (const void* bytes, std::size_t size, Reporter* reporter, void* data),
        (bytes, size, reporter, data))
FORWARD(void, TfLiteModelDelete, model_delete, (CModel * model), (model))
FORWARD(COptions*, TfLiteInterpreterOptionsCreate, options_create, (), ())
FORWARD(void, TfLiteInterpreterOptionsDelete, options_delete, (COptions * options), (options))
FORWARD(void, TfLiteInterpreterOptionsSetNumThreads, set_threads,
        (COptions * options, std::int32_t threads), (options, threads))
FORWARD(void, TfLiteInterpreterOptionsSetErrorReporter, set_error_reporter,
        (COptions * options, Reporter* reporter, void* data), (options, reporter, data))
FORWARD(void, TfLiteInterpreterOptionsAddDelegate, add_delegate,
        (COptions * options, CDelegate* delegate), (options, delegate))
FORWARD(void, TfLiteInterpreterOptionsSetTelemetryProfiler, set_profiler,
        (COptions * options, TelemetryProfiler* profiler), (options, profiler))
FORWARD(void, TfLiteInterpreterOptionsSetOpResolver, set_resolver,
        (COptions * options, FindBuiltin* builtin, FindCustom* custom, void* data),
        (options, builtin, custom, data))

FORWARD(int, TfLiteInterpreterAllocateTensors, allocate, (CInterpreter * interpreter),
        (interpreter))
__attribute__((visibility("default"))) int TfLiteInterpreterInvoke(CInterpreter* interpreter) {
  if (real().plant) real().plant->before_invoke(interpreter);
  return real().api.invoke(interpreter);
}
FORWARD(int, TfLiteInterpreterResizeInputTensor, resize_input,
        (CInterpreter * interpreter, std::int32_t input, const int* dimensions, std::int32_t rank),
        (interpreter, input, dimensions, rank))
FORWARD(int, TfLiteInterpreterModifyGraphWithDelegate, modify_graph,
        (const CInterpreter* interpreter, CDelegate* delegate), (interpreter, delegate))
FORWARD(std::int32_t, TfLiteInterpreterGetInputTensorCount, input_count,
        (const CInterpreter* interpreter), (interpreter))
FORWARD(std::int32_t, TfLiteInterpreterGetOutputTensorCount, output_count,
        (const CInterpreter* interpreter), (interpreter))
FORWARD(CTensor*, TfLiteInterpreterGetInputTensor, input,
        (const CInterpreter* interpreter, std::int32_t index), (interpreter, index))
FORWARD(const CTensor*, TfLiteInterpreterGetOutputTensor, output,
        (const CInterpreter* interpreter, std::int32_t index), (interpreter, index))

FORWARD(int, TfLiteTensorType, tensor_type, (const CTensor* tensor), (tensor))
FORWARD(std::int32_t, TfLiteTensorNumDims, tensor_rank, (const CTensor* tensor), (tensor))
FORWARD(std::int32_t, TfLiteTensorDim, tensor_dimension,
        (const CTensor* tensor, std::int32_t index), (tensor, index))
FORWARD(std::size_t, TfLiteTensorByteSize, tensor_bytes, (const CTensor* tensor), (tensor))
FORWARD(void*, TfLiteTensorData, tensor_data, (const CTensor* tensor), (tensor))
FORWARD(const char*, TfLiteTensorName, tensor_name, (const CTensor* tensor), (tensor))
FORWARD(QuantizationParams, TfLiteTensorQuantizationParams, tensor_quantization,
        (const CTensor* tensor), (tensor))
FORWARD(TensorQuantization, TfLiteOpaqueTensorGetQuantization, full_quantization,
        (const CTensor* tensor), (tensor))

FORWARD(XnnpackOptions, TfLiteXNNPackDelegateOptionsDefault, xnnpack_defaults, (), ())
FORWARD(CDelegate*, TfLiteXNNPackDelegateCreate, xnnpack_create, (const XnnpackOptions* options),
        (options))
FORWARD(void, TfLiteXNNPackDelegateDelete, xnnpack_delete, (CDelegate * delegate), (delegate))
FORWARD(CDelegate*, TfLiteOpaqueDelegateCreate, delegate_create, (const DelegateBuilder* builder),
        (builder))
FORWARD(void, TfLiteOpaqueDelegateDelete, delegate_delete, (CDelegate * delegate), (delegate))
FORWARD(int, TfLiteOpaqueContextGetExecutionPlan, execution_plan,
        (CContext * context, IntArray** plan), (context, plan))

// The reference kernels: C++ symbols of the real library under their mangled names.
FORWARD(void, _ZN6tflite3ops7builtin20BuiltinRefOpResolverC1Ev, reference_resolver_construct,
        (void* memory), (memory))
FORWARD(void, _ZN6tflite3ops7builtin20BuiltinRefOpResolverD1Ev, reference_resolver_destroy,
        (void* memory), (memory))
FORWARD(const void*, _ZNK6tflite17MutableOpResolver6FindOpENS_15BuiltinOperatorEi, find_builtin,
        (void* resolver, int op, int version), (resolver, op, version))
FORWARD(const void*, _ZNK6tflite17MutableOpResolver6FindOpEPKci, find_custom,
        (void* resolver, const char* name, int version), (resolver, name, version))

}  // extern "C"
