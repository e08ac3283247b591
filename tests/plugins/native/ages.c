// SPDX-License-Identifier: Apache-2.0
// x, and its double: an engine built with another edgeprobe_plugin.h of the same version, whose
// structs have fewer members than edgeprobe's, or with MORE some that edgeprobe does not know.
#include <edgeprobe_plugin.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const int64_t shape[1] = {1};

#ifdef MORE
static void never(void) { abort(); }

typedef struct {
  edgeprobe_plugin_tensor known;
  void (*more[2])(void);
} tensor;
typedef struct {
  edgeprobe_plugin_option known;
  void (*more[3])(void);
} option;
typedef struct {
  edgeprobe_plugin_engine known;
  void (*more[4])(void);
} table;
#define TENSOR(name)                                                                      \
  {                                                                                       \
    {sizeof(tensor), 0, name, "float32", shape, 1, NULL, NULL, 0, NULL}, { never, never } \
  }
#define OPTION(name)                                                                             \
  {                                                                                              \
    {sizeof(option), EDGEPROBE_PLUGIN_INT, name, "3", NULL, NULL, NULL}, { never, never, never } \
  }
#else
typedef edgeprobe_plugin_tensor tensor;
typedef edgeprobe_plugin_option option;
typedef struct {
  edgeprobe_plugin_engine known;
} table;
#define TENSOR(name) \
  { sizeof(tensor), 0, name, "float32", shape, 1, NULL, NULL, 0, NULL }
#define OPTION(name) \
  { sizeof(option), EDGEPROBE_PLUGIN_INT, name, "3", NULL, NULL, NULL }
#endif

static const tensor input = TENSOR("x"), outputs[] = {TENSOR("y"), TENSOR("twice")};
static const option options[] = {OPTION("first"), OPTION("second")};

static int load(const edgeprobe_plugin_request* request, edgeprobe_plugin_model* model,
                char* message) {
  (void)message;
  const edgeprobe_plugin_tensor* const in = (const edgeprobe_plugin_tensor*)&input;
  const edgeprobe_plugin_tensor* const out = (const edgeprobe_plugin_tensor*)outputs;
  edgeprobe_plugin_model filled = {
      .inputs = in, .input_count = 1, .outputs = out, .output_count = 2};
#ifdef MORE
  // What edgeprobe does not know is 0, and there is room for it.
  for (size_t i = sizeof *request; i < EDGEPROBE_PLUGIN_ROOM; ++i)
    if (((const char*)request)[i]) return EDGEPROBE_PLUGIN_FAILED;
  filled.struct_size = EDGEPROBE_PLUGIN_ROOM;
  memset(model, 0xff, EDGEPROBE_PLUGIN_ROOM);
  memcpy(model, &filled, sizeof filled);
#else
  filled.struct_size = offsetof(edgeprobe_plugin_model, kernels);
  memcpy(model, &filled, filled.struct_size);
#endif
  return atoi(request->values[1]) == 3 ? 0 : EDGEPROBE_PLUGIN_FAILED;
}

static int run(void* state, const void* const* in, edgeprobe_plugin_value* out,
               int64_t* nanoseconds, char* message) {
  (void)state, (void)nanoseconds, (void)message;
  *(float*)out[0].data = *(const float*)in[0];
  *(float*)out[1].data = 2 * *(const float*)in[0];
  return 0;
}

static void destroy(void* state) { (void)state; }

const edgeprobe_plugin_engine* edgeprobe_plugin(uint32_t version) {
  static table engine;
  engine.known = (edgeprobe_plugin_engine){
      .version = EDGEPROBE_PLUGIN_VERSION,
      .name = "aged",
      .engine_version = "1",
      .options = (const edgeprobe_plugin_option*)options,
      .option_count = 2,
      .load = load,
      .run = run,
      .destroy = destroy,
  };
#ifdef MORE
  engine.known.struct_size = sizeof engine;
  for (int i = 0; i < 4; ++i) engine.more[i] = never;
#else
  // The rest is not part of its table.
  engine.known.struct_size = offsetof(edgeprobe_plugin_engine, open);
  memset((char*)&engine + engine.known.struct_size, 0xff, sizeof engine - engine.known.struct_size);
#endif
  return version == EDGEPROBE_PLUGIN_VERSION ? &engine.known : NULL;
}
