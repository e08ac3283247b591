// SPDX-License-Identifier: Apache-2.0
/* ort_c_app MODEL INPUT TRACE: one inference on the bytes of a file (the first input, float32,
 * batch size 1) through ONNX Runtime's C API. */
#include <stdio.h>
#include <stdlib.h>

#include "onnxruntime_c_api.h"

#include "edgeprobe.h"
#include "edgeprobe/onnxruntime.h"

static const OrtApi* ort;

static void check(OrtStatus* status) {
  if (!status) return;
  fprintf(stderr, "%s\n", ort->GetErrorMessage(status));
  exit(1);
}

static void must(edgeprobe_status status) {
  if (status == EDGEPROBE_OK) return;
  fprintf(stderr, "%s\n", edgeprobe_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  OrtEnv* env;
  OrtSessionOptions* settings;
  OrtSession* session;
  OrtAllocator* allocator;
  OrtMemoryInfo* memory;
  OrtTypeInfo* type;
  const OrtTensorTypeAndShapeInfo* shape;
  OrtValue* input;
  OrtValue* outputs[64] = {0};
  const OrtValue* inputs[1];
  char* input_name;
  char* output_names[64];
  int64_t dimensions[16];
  size_t rank, count, i, bytes = sizeof(float);
  float* values;
  FILE* file = fopen(argv[2], "rb");
  edgeprobe_probe* probe;
  edgeprobe_frame* frame;
  (void)argc;
  ort = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  check(ort->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "app", &env));
  check(ort->CreateSessionOptions(&settings));
  check(ort->SetIntraOpNumThreads(settings, 1));
  check(ort->CreateSession(env, argv[1], settings, &session));
  check(ort->GetAllocatorWithDefaultOptions(&allocator));
  check(ort->SessionGetInputName(session, 0, allocator, &input_name));
  check(ort->SessionGetOutputCount(session, &count));
  for (i = 0; i < count; ++i)
    check(ort->SessionGetOutputName(session, i, allocator, &output_names[i]));
  check(ort->SessionGetInputTypeInfo(session, 0, &type));
  check(ort->CastTypeInfoToTensorInfo(type, &shape));
  check(ort->GetDimensionsCount(shape, &rank));
  check(ort->GetDimensions(shape, dimensions, rank));
  for (i = 0; i < rank; ++i) {
    if (dimensions[i] < 1) dimensions[i] = 1;
    bytes *= (size_t)dimensions[i];
  }
  values = (float*)malloc(bytes);
  if (!file || !values || fread(values, 1, bytes, file) != bytes) return 1;
  check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  check(ort->CreateTensorWithDataAsOrtValue(memory, values, bytes, dimensions, rank,
                                            ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &input));
  inputs[0] = input;

  must(edgeprobe_open(argv[3], NULL, &probe));
  must(edgeprobe_frame_begin(probe, &frame));
  must(edgeprobe_ort_start(frame, ort, (const char* const*)&input_name, inputs, 1));
  check(ort->Run(session, NULL, (const char* const*)&input_name, inputs, 1,
                 (const char* const*)output_names, count, outputs));
  must(edgeprobe_ort_stop(frame, ort, (const char* const*)output_names, outputs, count));
  must(edgeprobe_frame_end(frame));
  must(edgeprobe_close(probe, NULL));
  fclose(file);
  return 0;
}
