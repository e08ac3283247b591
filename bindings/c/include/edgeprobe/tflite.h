// SPDX-License-Identifier: Apache-2.0
/* edgeprobe/tflite.h: records the inputs and outputs of a TensorFlow Lite interpreter by its C API,
 * in C11 or C++.
 *
 *   edgeprobe_tflite_start(frame, interpreter);
 *   TfLiteInterpreterInvoke(interpreter);
 *   edgeprobe_tflite_stop(frame, interpreter);
 *
 * Include it after TensorFlow Lite's own tensorflow/lite/c/c_api.h. A program that opens the
 * library at run time passes its functions instead: edgeprobe_tflite_load(), and the calls that end
 * in _with.
 *
 * The inputs are recorded before the clock starts and the outputs after it has stopped: the latency
 * is that of the invoke. Names, positions and quantisation are the model's; quantisation per
 * channel requires that the program has included tensorflow/lite/c/common.h. A tensor of strings,
 * resources, complex numbers or 4-bit integers, and a dynamic one without memory, is skipped: the
 * call records the others and returns EDGEPROBE_UNSUPPORTED, and edgeprobe_last_error() names the
 * last skipped one. */
#ifndef EDGEPROBE_TFLITE_H
#define EDGEPROBE_TFLITE_H

#if !defined(TENSORFLOW_LITE_C_C_API_H_) && !defined(TENSORFLOW_LITE_CORE_C_C_API_H_) && \
    !defined(EDGEPROBE_TFLITE_DECLARED)
#error \
    "edgeprobe/tflite.h: include tensorflow/lite/c/c_api.h first (or define EDGEPROBE_TFLITE_DECLARED if you declare it yourself)"
#endif

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "edgeprobe/tflite_types.h"

/* The TensorFlow Lite functions that this adapter calls. */
typedef struct edgeprobe_tflite_api {
  int32_t (*input_count)(const TfLiteInterpreter*);
  TfLiteTensor* (*input)(const TfLiteInterpreter*, int32_t);
  int32_t (*output_count)(const TfLiteInterpreter*);
  const TfLiteTensor* (*output)(const TfLiteInterpreter*, int32_t);
  const char* (*name)(const TfLiteTensor*);
  TfLiteType (*type)(const TfLiteTensor*);
  int32_t (*rank)(const TfLiteTensor*);
  int32_t (*dimension)(const TfLiteTensor*, int32_t);
  void* (*data)(const TfLiteTensor*);
  size_t (*size)(const TfLiteTensor*);
  TfLiteQuantizationParams (*quantization)(const TfLiteTensor*);
} edgeprobe_tflite_api;

/* Looks up the functions of a library that was opened at run time: edgeprobe_tflite_load(&api,
 * library, dlsym). Returns 0 if one is missing. */
static inline int edgeprobe_tflite_load(edgeprobe_tflite_api* api, void* library,
                                        void* (*find)(void* library, const char* name)) {
  static const char* const names[] = {"TfLiteInterpreterGetInputTensorCount",
                                      "TfLiteInterpreterGetInputTensor",
                                      "TfLiteInterpreterGetOutputTensorCount",
                                      "TfLiteInterpreterGetOutputTensor",
                                      "TfLiteTensorName",
                                      "TfLiteTensorType",
                                      "TfLiteTensorNumDims",
                                      "TfLiteTensorDim",
                                      "TfLiteTensorData",
                                      "TfLiteTensorByteSize",
                                      "TfLiteTensorQuantizationParams"};
  void* found[sizeof names / sizeof names[0]];
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) {
    found[i] = find(library, names[i]);
    if (!found[i]) return 0;
  }
  /* The struct consists of these pointers in this order. */
  memcpy(api, found, sizeof found);
  return 1;
}

static inline edgeprobe_status edgeprobe_tflite_tensor_with(edgeprobe_frame* frame,
                                                            const edgeprobe_tflite_api* api,
                                                            const TfLiteTensor* from,
                                                            edgeprobe_stage stage,
                                                            int32_t position) {
  edgeprobe_tensor tensor;
  int64_t shape[EDGEPROBE_MAX_RANK];
  int64_t zero_point;
  int64_t* zero_points = NULL;
  const char* reason = "";
  edgeprobe_status status;
  int32_t i;
  int32_t rank = from ? api->rank(from) : 0;
  int dtype = from ? edgeprobe_tflite_dtype((int)api->type(from), &reason) : -1;
  TfLiteQuantizationParams params;
  if (!from)
    return edgeprobe_leave_out(stage, position, "", "the interpreter has none at this place");
  if (dtype < 0) return edgeprobe_leave_out(stage, position, api->name(from), reason);
  if (rank < 0 || rank > EDGEPROBE_MAX_RANK)
    return edgeprobe_leave_out(stage, position, api->name(from), "it has too many dimensions");
  if (!api->data(from) && api->size(from) > 0) {
    return edgeprobe_leave_out(stage, position, api->name(from),
                               "it has no memory; a dynamic tensor gets some in the invoke");
  }
  memset(&tensor, 0, sizeof tensor);
  tensor.struct_size = (uint32_t)sizeof tensor;
  tensor.stage = stage;
  tensor.name = api->name(from);
  tensor.dtype = (edgeprobe_dtype)dtype;
  tensor.rank = (uint32_t)rank;
  for (i = 0; i < rank; ++i) shape[i] = api->dimension(from, i);
  tensor.shape = shape;
  tensor.data = api->data(from);
  tensor.size = api->size(from);
  tensor.position = position;
  params = api->quantization(from);
  if (params.scale != 0.0f) {
    zero_point = params.zero_point;
    tensor.scale_count = 1;
    tensor.scale = &params.scale;
    tensor.zero_point = &zero_point;
  }
#if defined(TENSORFLOW_LITE_CORE_C_COMMON_H_) || defined(TENSORFLOW_LITE_C_COMMON_H_)
  if (from->quantization.type == kTfLiteAffineQuantization && from->quantization.params) {
    const TfLiteAffineQuantization* affine =
        (const TfLiteAffineQuantization*)from->quantization.params;
    if (affine->scale && affine->scale->size > 1) {
      tensor.scale_count = (uint32_t)affine->scale->size;
      tensor.scale = affine->scale->data;
      tensor.zero_point = NULL;
      tensor.axis = affine->quantized_dimension;
      if (affine->zero_point && affine->zero_point->size == affine->scale->size) {
        zero_points = (int64_t*)malloc((size_t)affine->scale->size * sizeof *zero_points);
        if (!zero_points)
          return edgeprobe_fail(EDGEPROBE_LIMIT, "no memory for the zero points of a tensor");
        for (i = 0; i < affine->zero_point->size; ++i) zero_points[i] = affine->zero_point->data[i];
        tensor.zero_point = zero_points;
      }
    }
  }
#endif
  status = edgeprobe_log_tensor(frame, &tensor);
  free(zero_points);
  return status;
}

static inline edgeprobe_status edgeprobe_tflite_inputs_with(edgeprobe_frame* frame,
                                                            const edgeprobe_tflite_api* api,
                                                            const TfLiteInterpreter* interpreter) {
  edgeprobe_status status = EDGEPROBE_OK;
  int32_t i, count;
  if (!edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_MODEL_INPUT)) return EDGEPROBE_OK;
  count = api->input_count(interpreter);
  for (i = 0; i < count; ++i) {
    status =
        edgeprobe_first(status, edgeprobe_tflite_tensor_with(frame, api, api->input(interpreter, i),
                                                             EDGEPROBE_STAGE_MODEL_INPUT, i));
  }
  return status;
}

static inline edgeprobe_status edgeprobe_tflite_outputs_with(edgeprobe_frame* frame,
                                                             const edgeprobe_tflite_api* api,
                                                             const TfLiteInterpreter* interpreter) {
  edgeprobe_status status = EDGEPROBE_OK;
  int32_t i, count;
  if (!edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_MODEL_OUTPUT)) return EDGEPROBE_OK;
  count = api->output_count(interpreter);
  for (i = 0; i < count; ++i) {
    status = edgeprobe_first(status,
                             edgeprobe_tflite_tensor_with(frame, api, api->output(interpreter, i),
                                                          EDGEPROBE_STAGE_MODEL_OUTPUT, i));
  }
  return status;
}

static inline edgeprobe_status edgeprobe_tflite_start_with(edgeprobe_frame* frame,
                                                           const edgeprobe_tflite_api* api,
                                                           const TfLiteInterpreter* interpreter) {
  const edgeprobe_status logged = edgeprobe_tflite_inputs_with(frame, api, interpreter);
  return edgeprobe_first(logged, edgeprobe_frame_start(frame));
}

static inline edgeprobe_status edgeprobe_tflite_stop_with(edgeprobe_frame* frame,
                                                          const edgeprobe_tflite_api* api,
                                                          const TfLiteInterpreter* interpreter) {
  const edgeprobe_status stopped = edgeprobe_frame_stop(frame);
  return edgeprobe_first(stopped, edgeprobe_tflite_outputs_with(frame, api, interpreter));
}

/* The functions of the library that the program is linked with. A program without such a library
 * must not call the functions below. */
static inline edgeprobe_tflite_api edgeprobe_tflite_linked(void) {
  edgeprobe_tflite_api api;
  api.input_count = &TfLiteInterpreterGetInputTensorCount;
  api.input = &TfLiteInterpreterGetInputTensor;
  api.output_count = &TfLiteInterpreterGetOutputTensorCount;
  api.output = &TfLiteInterpreterGetOutputTensor;
  api.name = &TfLiteTensorName;
  api.type = &TfLiteTensorType;
  api.rank = &TfLiteTensorNumDims;
  api.dimension = &TfLiteTensorDim;
  api.data = &TfLiteTensorData;
  api.size = &TfLiteTensorByteSize;
  api.quantization = &TfLiteTensorQuantizationParams;
  return api;
}

/* Call it before the invoke. */
static inline edgeprobe_status edgeprobe_tflite_start(edgeprobe_frame* frame,
                                                      const TfLiteInterpreter* interpreter) {
  const edgeprobe_tflite_api api = edgeprobe_tflite_linked();
  return edgeprobe_tflite_start_with(frame, &api, interpreter);
}

/* Call it after the invoke. */
static inline edgeprobe_status edgeprobe_tflite_stop(edgeprobe_frame* frame,
                                                     const TfLiteInterpreter* interpreter) {
  const edgeprobe_tflite_api api = edgeprobe_tflite_linked();
  return edgeprobe_tflite_stop_with(frame, &api, interpreter);
}

#endif
