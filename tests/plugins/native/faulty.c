// SPDX-License-Identifier: Apache-2.0
// A plug-in's library with one fault in its table: the macro FAULT, one of the numbers below.
#include <edgeprobe_plugin.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  NO_SYMBOL = 1,
  NO_TABLE,
  OTHER_VERSION,
  SMALL_TABLE,
  NO_FUNCTIONS,
  BUILT_IN_NAME,
  BAD_NAME,
  OPTION_SIZE,
  OPTION_DEFAULT,
  NEEDS_OPTION,
  NO_FLAGS,
  CRASHES,
  LAYERLESS,
  TIMELESS,
  ONLY_BYTES,
};

static const int64_t shape[1] = {1};
static const edgeprobe_plugin_tensor tensor = {sizeof tensor, 0,    "x", "float32", shape, 1,
                                               NULL,          NULL, 0,   NULL};

static const edgeprobe_plugin_kernel kernel = {sizeof kernel, "k", "K", NULL, NULL, 0};

static int load(const edgeprobe_plugin_request* request, edgeprobe_plugin_model* model,
                char* message) {
  if (FAULT == ONLY_BYTES && (request->path || request->size == 0)) {
    snprintf(message, EDGEPROBE_PLUGIN_MESSAGE, "a path without being asked for");
    return EDGEPROBE_PLUGIN_FAILED;
  }
  model->inputs = model->outputs = model->layers = &tensor;
  model->input_count = model->output_count = 1;
  model->layer_count = FAULT == LAYERLESS;
  model->kernels = &kernel;
  model->kernel_count = FAULT == TIMELESS;
  return 0;
}

static int run(void* state, const void* const* inputs, edgeprobe_plugin_value* outputs,
               int64_t* nanoseconds, char* message) {
  (void)state, (void)nanoseconds, (void)message;
  *(float*)outputs[0].data = *(const float*)inputs[0];
  return 0;
}

static void destroy(void* state) { (void)state; }

static const edgeprobe_plugin_option options[] = {
    {FAULT == OPTION_SIZE ? 8 : sizeof options[0], EDGEPROBE_PLUGIN_INT, "depth",
     FAULT == OPTION_DEFAULT ? "deep"
     : FAULT == NEEDS_OPTION ? NULL
                             : "1",
     "1", NULL, "Levels"},
};
static const edgeprobe_plugin_engine engine = {
    .struct_size = FAULT == SMALL_TABLE ? 16 : sizeof engine,
    .flags = FAULT == ONLY_BYTES ? EDGEPROBE_PLUGIN_BYTES : 0,
    .version = EDGEPROBE_PLUGIN_VERSION + (FAULT == OTHER_VERSION ? 7 : 0),
    .name = FAULT == BUILT_IN_NAME ? "litert"
            : FAULT == BAD_NAME    ? "Two \033[31mWords"
                                   : "faulty",
    .engine_version = "1",
    .options = options,
    .option_count = 1,
    .load = load,
    .run = FAULT == NO_FUNCTIONS ? NULL : run,
    .destroy = FAULT == NO_FUNCTIONS ? NULL : destroy,
};

#if FAULT == 1
const edgeprobe_plugin_engine* another_name(uint32_t version);
#define edgeprobe_plugin another_name
#endif
const edgeprobe_plugin_engine* edgeprobe_plugin(uint32_t version) {
  if (FAULT == CRASHES) abort();
  return version != EDGEPROBE_PLUGIN_VERSION || FAULT == NO_TABLE ? NULL : &engine;
}
