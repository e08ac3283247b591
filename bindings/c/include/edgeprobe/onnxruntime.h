// SPDX-License-Identifier: Apache-2.0
/* edgeprobe/onnxruntime.h: records the inputs and outputs of an ONNX Runtime session by its C API,
 * in C11 or C++.
 *
 *   edgeprobe_ort_start(frame, ort, input_names, inputs, input_count);
 *   ort->Run(session, NULL, input_names, inputs, input_count, output_names, output_count, outputs);
 *   edgeprobe_ort_stop(frame, ort, output_names, outputs, output_count);
 *
 * Include it after ONNX Runtime's own onnxruntime_c_api.h, of any version since 1.4. The arguments
 * are those of Run(). The inputs are recorded before the clock starts and the outputs after it has
 * stopped: the latency is that of the run. These values are skipped: a value that is not a tensor
 * (a sequence, a map, an absent optional), strings, complex numbers, numbers of fewer than 8 bits,
 * and values outside the processor's memory. The call records the others and returns
 * EDGEPROBE_UNSUPPORTED, and edgeprobe_last_error() names the last skipped value. */
#ifndef EDGEPROBE_ONNXRUNTIME_H
#define EDGEPROBE_ONNXRUNTIME_H

#ifndef ORT_API_VERSION
#error "edgeprobe/onnxruntime.h: include onnxruntime_c_api.h or onnxruntime_cxx_api.h first"
#endif

#include <stdint.h>
#include <string.h>

#include "edgeprobe/adapter.h"

/* The edgeprobe_dtype of an ONNXTensorElementDataType. Returns -1 for an unsupported type, and its
 * name in *reason. Uses the fixed numbers, because older headers lack the newer names. */
static inline int edgeprobe_ort_dtype(int type, const char** reason) {
  switch (type) {
    case 1: return EDGEPROBE_FLOAT32;
    case 2: return EDGEPROBE_UINT8;
    case 3: return EDGEPROBE_INT8;
    case 4: return EDGEPROBE_UINT16;
    case 5: return EDGEPROBE_INT16;
    case 6: return EDGEPROBE_INT32;
    case 7: return EDGEPROBE_INT64;
    case 9: return EDGEPROBE_BOOL;
    case 10: return EDGEPROBE_FLOAT16;
    case 11: return EDGEPROBE_FLOAT64;
    case 12: return EDGEPROBE_UINT32;
    case 13: return EDGEPROBE_UINT64;
    case 16: return EDGEPROBE_BFLOAT16;
    case 8: *reason = "it contains strings"; return -1;
    case 14:
    case 15: *reason = "it contains complex numbers"; return -1;
    default: *reason = "its type is not known to this version of edgeprobe"; return -1;
  }
}

/* Frees the status of an ONNX Runtime call. Returns 1 if the call succeeded. */
static inline int edgeprobe_ort_worked(const OrtApi* ort, OrtStatus* complaint) {
  if (complaint) ort->ReleaseStatus(complaint);
  return complaint == NULL;
}

static inline edgeprobe_status edgeprobe_ort_value(edgeprobe_frame* frame, const OrtApi* ort,
                                                   const OrtValue* value, const char* name,
                                                   edgeprobe_stage stage, int32_t position) {
  edgeprobe_tensor tensor;
  int64_t shape[EDGEPROBE_MAX_RANK];
  OrtTensorTypeAndShapeInfo* info = NULL;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const char* reason = "ONNX Runtime does not describe it";
  void* data = NULL;
  size_t rank = 0, count = 0;
  int is_tensor = 0, dtype = -1, described;
  if (!value) return edgeprobe_leave_out(stage, position, name, "there is no value");
  if (!edgeprobe_ort_worked(ort, ort->IsTensor(value, &is_tensor)) || !is_tensor) {
    return edgeprobe_leave_out(stage, position, name, "it is not a tensor");
  }
  if (!edgeprobe_ort_worked(ort, ort->GetTensorTypeAndShape(value, &info)))
    return edgeprobe_leave_out(stage, position, name, reason);
  described = edgeprobe_ort_worked(ort, ort->GetTensorElementType(info, &type)) &&
              edgeprobe_ort_worked(ort, ort->GetDimensionsCount(info, &rank)) &&
              edgeprobe_ort_worked(ort, ort->GetTensorShapeElementCount(info, &count)) &&
              rank <= EDGEPROBE_MAX_RANK &&
              edgeprobe_ort_worked(ort, ort->GetDimensions(info, shape, rank));
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (!described) return edgeprobe_leave_out(stage, position, name, reason);
  dtype = edgeprobe_ort_dtype((int)type, &reason);
  if (dtype < 0) return edgeprobe_leave_out(stage, position, name, reason);
#if ORT_API_VERSION >= 12
  {
    const OrtMemoryInfo* memory = NULL;
    OrtMemoryInfoDeviceType device = OrtMemoryInfoDeviceType_CPU;
    if (edgeprobe_ort_worked(ort, ort->GetTensorMemoryInfo(value, &memory)) && memory) {
      ort->MemoryInfoGetDeviceType(memory, &device);
    }
    if (device != OrtMemoryInfoDeviceType_CPU)
      return edgeprobe_leave_out(stage, position, name, "it is in another processor's memory");
  }
#endif
  /* Older versions of the function take a pointer to non-const; nothing is written. */
  if (!edgeprobe_ort_worked(ort, ort->GetTensorMutableData((OrtValue*)(uintptr_t)value, &data))) {
    return edgeprobe_leave_out(stage, position, name, "its memory cannot be read");
  }
  memset(&tensor, 0, sizeof tensor);
  tensor.struct_size = (uint32_t)sizeof tensor;
  tensor.stage = stage;
  tensor.name = name;
  tensor.dtype = (edgeprobe_dtype)dtype;
  tensor.rank = (uint32_t)rank;
  tensor.shape = shape;
  tensor.data = data;
  tensor.size = count * edgeprobe_dtype_size(dtype);
  tensor.position = position;
  return edgeprobe_log_tensor(frame, &tensor);
}

static inline edgeprobe_status edgeprobe_ort_values(edgeprobe_frame* frame, const OrtApi* ort,
                                                    const char* const* names,
                                                    const OrtValue* const* values, size_t count,
                                                    edgeprobe_stage stage) {
  edgeprobe_status status = EDGEPROBE_OK;
  size_t i;
  if (!edgeprobe_frame_wants(frame, (int)stage)) return EDGEPROBE_OK;
  for (i = 0; i < count; ++i) {
    status = edgeprobe_first(
        status, edgeprobe_ort_value(frame, ort, values[i], names[i], stage, (int32_t)i));
  }
  return status;
}

/* Call it before Run(), with its inputs. */
static inline edgeprobe_status edgeprobe_ort_start(edgeprobe_frame* frame, const OrtApi* ort,
                                                   const char* const* names,
                                                   const OrtValue* const* inputs, size_t count) {
  const edgeprobe_status logged =
      edgeprobe_ort_values(frame, ort, names, inputs, count, EDGEPROBE_STAGE_MODEL_INPUT);
  return edgeprobe_first(logged, edgeprobe_frame_start(frame));
}

/* Call it after Run(), with its `outputs`. */
static inline edgeprobe_status edgeprobe_ort_stop(edgeprobe_frame* frame, const OrtApi* ort,
                                                  const char* const* names,
                                                  OrtValue* const* outputs, size_t count) {
  const edgeprobe_status stopped = edgeprobe_frame_stop(frame);
  return edgeprobe_first(
      stopped, edgeprobe_ort_values(frame, ort, names, (const OrtValue* const*)outputs, count,
                                    EDGEPROBE_STAGE_MODEL_OUTPUT));
}

#endif
