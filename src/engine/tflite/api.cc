// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

Result<Api> bind(const SharedLibrary& library) {
  SymbolReader symbols(library);
  Api api{};
  symbols.required(api.version, "TfLiteVersion");
  symbols.required(api.model_create, "TfLiteModelCreateWithErrorReporter");
  symbols.required(api.model_delete, "TfLiteModelDelete");
  symbols.required(api.options_create, "TfLiteInterpreterOptionsCreate");
  symbols.required(api.options_delete, "TfLiteInterpreterOptionsDelete");
  symbols.required(api.set_threads, "TfLiteInterpreterOptionsSetNumThreads");
  symbols.required(api.set_error_reporter, "TfLiteInterpreterOptionsSetErrorReporter");
  symbols.required(api.add_delegate, "TfLiteInterpreterOptionsAddDelegate");
  symbols.required(api.interpreter_create, "TfLiteInterpreterCreate");
  symbols.required(api.interpreter_delete, "TfLiteInterpreterDelete");
  symbols.required(api.allocate, "TfLiteInterpreterAllocateTensors");
  symbols.required(api.invoke, "TfLiteInterpreterInvoke");
  symbols.required(api.resize_input, "TfLiteInterpreterResizeInputTensor");
  symbols.required(api.input_count, "TfLiteInterpreterGetInputTensorCount");
  symbols.required(api.output_count, "TfLiteInterpreterGetOutputTensorCount");
  symbols.required(api.input, "TfLiteInterpreterGetInputTensor");
  symbols.required(api.output, "TfLiteInterpreterGetOutputTensor");
  symbols.required(api.tensor_type, "TfLiteTensorType");
  symbols.required(api.tensor_rank, "TfLiteTensorNumDims");
  symbols.required(api.tensor_dimension, "TfLiteTensorDim");
  symbols.required(api.tensor_bytes, "TfLiteTensorByteSize");
  symbols.required(api.tensor_data, "TfLiteTensorData");
  symbols.required(api.tensor_name, "TfLiteTensorName");
  symbols.required(api.tensor_quantization, "TfLiteTensorQuantizationParams");

  symbols.optional(api.full_quantization, "TfLiteOpaqueTensorGetQuantization");
  symbols.optional(api.set_profiler, "TfLiteInterpreterOptionsSetTelemetryProfiler");
  symbols.optional(api.set_resolver, "TfLiteInterpreterOptionsSetOpResolver");
  symbols.optional(api.modify_graph, "TfLiteInterpreterModifyGraphWithDelegate");
  symbols.optional(api.set_allocation, "TfLiteInterpreterSetCustomAllocationForTensor");
  symbols.optional(api.input_tensor, "TfLiteInterpreterGetInputTensorIndex");
  symbols.optional(api.output_tensor, "TfLiteInterpreterGetOutputTensorIndex");
  symbols.optional(api.xnnpack_defaults, "TfLiteXNNPackDelegateOptionsDefault");
  symbols.optional(api.xnnpack_create, "TfLiteXNNPackDelegateCreate");
  symbols.optional(api.xnnpack_delete, "TfLiteXNNPackDelegateDelete");
  symbols.optional(api.delegate_create, "TfLiteOpaqueDelegateCreate");
  symbols.optional(api.delegate_delete, "TfLiteOpaqueDelegateDelete");
  symbols.optional(api.execution_plan, "TfLiteOpaqueContextGetExecutionPlan");
  symbols.optional(api.reference_resolver_construct,
                   "_ZN6tflite3ops7builtin20BuiltinRefOpResolverC1Ev");
  symbols.optional(api.reference_resolver_destroy,
                   "_ZN6tflite3ops7builtin20BuiltinRefOpResolverD1Ev");
  symbols.optional(api.find_builtin,
                   "_ZNK6tflite17MutableOpResolver6FindOpENS_15BuiltinOperatorEi");
  symbols.optional(api.find_custom, "_ZNK6tflite17MutableOpResolver6FindOpEPKci");
  EP_CHECK(symbols.complete("a TFLite library with the C interface"));
  return api;
}

}  // namespace edgeprobe::engine::tflite
