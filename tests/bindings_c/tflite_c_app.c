// SPDX-License-Identifier: Apache-2.0
/* tflite_c_app MODEL INPUT TRACE [OWN_OUTPUTS]: one inference on the bytes of a file (all inputs,
 * one after the other), through TensorFlow Lite's C API. */
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

#include "edgeprobe.h"
#include "edgeprobe/tflite.h"

static int fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, edgeprobe_last_error());
  return 1;
}

int main(int argc, char** argv) {
  TfLiteModel* model = TfLiteModelCreateFromFile(argv[1]);
  TfLiteInterpreterOptions* settings = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreter* interpreter;
  edgeprobe_options options;
  edgeprobe_probe* probe;
  edgeprobe_frame* frame;
  FILE* file = fopen(argv[2], "rb");
  int32_t i;
  if (!model || !file) return fail("open");
  TfLiteInterpreterOptionsSetNumThreads(settings, 1);
  interpreter = TfLiteInterpreterCreate(model, settings);
  if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
    return fail("interpreter");
  for (i = 0; i < TfLiteInterpreterGetInputTensorCount(interpreter); ++i) {
    TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, i);
    if (fread(TfLiteTensorData(input), 1, TfLiteTensorByteSize(input), file) !=
        TfLiteTensorByteSize(input))
      return fail("input");
  }
  fclose(file);

  edgeprobe_options_init(&options);
  if (argc > 4) {
    options.level = EDGEPROBE_LEVEL_LAYERS;
    options.own_outputs = (uint32_t)atoi(argv[4]);
  }
  if (edgeprobe_open(argv[3], &options, &probe) != EDGEPROBE_OK) return fail("open");
  if (edgeprobe_frame_begin(probe, &frame) != EDGEPROBE_OK) return fail("begin");
  if (edgeprobe_tflite_start(frame, interpreter) != EDGEPROBE_OK) return fail("start");
  if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) return fail("invoke");
  if (edgeprobe_tflite_stop(frame, interpreter) != EDGEPROBE_OK) return fail("stop");
  edgeprobe_frame_end(frame);
  if (edgeprobe_close(probe, NULL) != EDGEPROBE_OK) return fail("close");
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(settings);
  TfLiteModelDelete(model);
  return 0;
}
