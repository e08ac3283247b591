// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/api.h"

namespace edgeprobe::engine::litert {

Result<Api> bind(const SharedLibrary& library) {
  SymbolReader symbols(library);
  Api api{};
  symbols.required(api.create_environment, "LiteRtCreateEnvironment");
  symbols.required(api.destroy_environment, "LiteRtDestroyEnvironment");
  symbols.required(api.create_model, "LiteRtCreateModelFromBuffer");
  symbols.required(api.destroy_model, "LiteRtDestroyModel");
  symbols.required(api.signature_count, "LiteRtGetNumModelSignatures");
  symbols.required(api.signature, "LiteRtGetModelSignature");
  symbols.required(api.main_subgraph_index, "LiteRtGetMainModelSubgraphIndex");
  symbols.required(api.subgraph, "LiteRtGetModelSubgraph");
  symbols.required(api.signature_subgraph, "LiteRtGetSignatureSubgraph");
  symbols.required(api.signature_input_count, "LiteRtGetNumSignatureInputs");
  symbols.required(api.signature_output_count, "LiteRtGetNumSignatureOutputs");
  symbols.required(api.signature_input, "LiteRtGetSignatureInputTensorByIndex");
  symbols.required(api.signature_output, "LiteRtGetSignatureOutputTensorByIndex");
  symbols.required(api.subgraph_input_count, "LiteRtGetNumSubgraphInputs");
  symbols.required(api.subgraph_output_count, "LiteRtGetNumSubgraphOutputs");
  symbols.required(api.subgraph_input, "LiteRtGetSubgraphInput");
  symbols.required(api.subgraph_output, "LiteRtGetSubgraphOutput");
  symbols.required(api.subgraph_op_count, "LiteRtGetNumSubgraphOps");
  symbols.required(api.tensor_name, "LiteRtGetTensorName");
  symbols.required(api.tensor_type, "LiteRtGetRankedTensorType");
  symbols.required(api.quantization_kind, "LiteRtGetQuantizationTypeId");
  symbols.required(api.per_tensor, "LiteRtGetPerTensorQuantization");
  symbols.required(api.per_channel, "LiteRtGetPerChannelQuantization");
  symbols.required(api.create_options, "LiteRtCreateOptions");
  symbols.required(api.destroy_options, "LiteRtDestroyOptions");
  symbols.required(api.set_accelerators, "LiteRtSetOptionsHardwareAccelerators");
  symbols.required(api.create_opaque, "LiteRtCreateOpaqueOptions");
  symbols.required(api.add_opaque, "LiteRtAddOpaqueOptions");
  symbols.required(api.compile, "LiteRtCreateCompiledModel");
  symbols.required(api.destroy_compiled, "LiteRtDestroyCompiledModel");
  symbols.required(api.resize_input, "LiteRtCompiledModelResizeInputTensorNonStrict");
  symbols.required(api.input_layout, "LiteRtGetCompiledModelInputTensorLayout");
  symbols.required(api.output_layouts, "LiteRtGetCompiledModelOutputTensorLayouts");
  symbols.required(api.input_requirements, "LiteRtGetCompiledModelInputBufferRequirements");
  symbols.required(api.output_requirements, "LiteRtGetCompiledModelOutputBufferRequirements");
  symbols.required(api.requirements_size, "LiteRtGetTensorBufferRequirementsBufferSize");
  symbols.required(api.run, "LiteRtRunCompiledModel");
  symbols.required(api.error_messages, "LiteRtCompiledModelGetErrorMessages");
  symbols.required(api.clear_errors, "LiteRtCompiledModelClearErrors");
  symbols.required(api.create_buffer, "LiteRtCreateManagedTensorBufferFromRequirements");
  symbols.required(api.create_sized_buffer, "LiteRtCreateManagedTensorBuffer");
  symbols.required(api.destroy_buffer, "LiteRtDestroyTensorBuffer");
  symbols.required(api.lock, "LiteRtLockTensorBuffer");
  symbols.required(api.unlock, "LiteRtUnlockTensorBuffer");
  symbols.required(api.buffer_size, "LiteRtGetTensorBufferSize");
  symbols.required(api.profiler, "LiteRtCompiledModelGetProfiler");
  symbols.required(api.start_profiler, "LiteRtStartProfiler");
  symbols.required(api.stop_profiler, "LiteRtStopProfiler");
  symbols.required(api.reset_profiler, "LiteRtResetProfiler");
  symbols.required(api.event_count, "LiteRtGetNumProfilerEvents");
  symbols.required(api.events, "LiteRtGetProfilerEvents");
  symbols.optional(api.create_host_buffer, "LiteRtCreateTensorBufferFromHostMemory");
  symbols.optional(api.accelerator_count, "LiteRtGetNumAccelerators");
  symbols.optional(api.accelerator, "LiteRtGetAccelerator");
  symbols.optional(api.accelerator_hardware, "LiteRtGetAcceleratorHardwareSupport");
  symbols.optional(api.create_accelerator, "LiteRtCreateAccelerator");
  symbols.optional(api.set_accelerator_name, "LiteRtSetAcceleratorGetName");
  symbols.optional(api.set_accelerator_version, "LiteRtSetAcceleratorGetVersion");
  symbols.optional(api.set_accelerator_hardware, "LiteRtSetAcceleratorGetHardwareSupport");
  symbols.optional(api.set_accelerator_delegate, "LiteRtSetDelegateFunction");
  symbols.optional(api.register_accelerator, "LiteRtRegisterAccelerator");
  symbols.optional(api.wrap_delegate, "LiteRtWrapDelegate");
  EP_CHECK(symbols.complete("LiteRT 2.3"));
  return api;
}

std::string status_text(int status) {
  const char* meaning = nullptr;
  switch (status) {
    case 1: meaning = "invalid argument"; break;
    case 2: meaning = "out of memory"; break;
    case 3: meaning = "runtime failure"; break;
    case 4: meaning = "missing input"; break;
    case 5: meaning = "unsupported"; break;
    case 6: meaning = "not found"; break;
    case 8: meaning = "wrong version"; break;
    case 500: meaning = "file error"; break;
    case 501: meaning = "invalid FlatBuffer"; break;
    case 504: meaning = "compilation failed"; break;
    case 1000: meaning = "index out of range"; break;
    case 1001: meaning = "invalid type in the model"; break;
    case 1002: meaning = "inconsistent graph"; break;
  }
  return "LiteRT status " + std::to_string(status) +
         (meaning ? std::string(" (") + meaning + ")" : "");
}

}  // namespace edgeprobe::engine::litert
