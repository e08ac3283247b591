// SPDX-License-Identifier: Apache-2.0
// An engine in C: factor * x + offset of a float input, the sum of an integer one, then an output
// with an open dimension and one of any rank, as many as the option "outputs" says; the file states
// the number of elements. The option "fault" names what goes wrong.
#include <edgeprobe_plugin.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define TENSOR(...) \
  { sizeof(edgeprobe_plugin_tensor), __VA_ARGS__ }

typedef struct {
  int64_t row[2], pair[1], one[1], open[1], now[1], grid[3];
  float factor;
  int64_t offset;
  char fault[40];
  int64_t runs;
  int32_t capturing, output_count;
  float* square;
  uint8_t many[256];
  float scale;
  int64_t zero;
  edgeprobe_plugin_tensor inputs[2], outputs[4], layers[2];
  edgeprobe_plugin_kernel kernels[2];
  char note[400];
  const char* notes[1];
  // Of a bound state: its memory.
  const void* from;
  void* to;
} affine;

static int is(const affine* m, const char* fault) { return strcmp(m->fault, fault) == 0; }

static int say(char* message, const char* text) {
  snprintf(message, EDGEPROBE_PLUGIN_MESSAGE, "%s", text);
  return 1;
}

static int load(const edgeprobe_plugin_request* request, edgeprobe_plugin_model* model,
                char* message) {
  affine* m = calloc(1, sizeof *m);
  snprintf(m->fault, sizeof m->fault, "%s", request->values[2]);
  if (is(m, "load") || is(m, "escape") || is(m, "speechless")) {
    const int said = is(m, "load")     ? say(message, "the weights\nare missing.")
                     : is(m, "escape") ? say(message, "\033[31mred")
                                       : 1;
    free(m);
    return said;
  }
  const struct {
    const char* fault;
    int code;
  } codes[] = {{"usage", EDGEPROBE_PLUGIN_USAGE}, {"unsupported", EDGEPROBE_PLUGIN_UNSUPPORTED}};
  for (size_t i = 0; i < COUNT(codes); ++i)
    if (is(m, codes[i].fault)) return say(message, "not like this"), free(m), codes[i].code;
  if (is(m, "load crash")) raise(SIGSEGV);
  if (is(m, "load hang")) pause();
  FILE* file = fopen(request->path, "r");
  if (!file || fscanf(file, "%" SCNd64, &m->row[1]) != 1) return say(message, "no number");
  fclose(file);
  char first[2] = {request->size > 0 ? ((const char*)request->bytes)[0] : 0, 0};
  if (atoi(first) != m->row[1]) return say(message, "file and bytes differ");
  for (size_t i = 0; i < request->shape_count; ++i)
    if (request->shapes[i].rank == 2) m->row[1] = request->shapes[i].shape[1];
  m->factor = strtof(request->values[0], NULL);
  m->offset = strtoll(request->values[1], NULL, 10);
  m->row[0] = m->one[0] = 1;
  m->pair[0] = 2;
  m->open[0] = -1;
  m->square = malloc(sizeof(float) * (size_t)m->row[1]);
  m->scale = 0.5f;
  m->zero = 3;
  const edgeprobe_plugin_tensor inputs[] = {
      TENSOR(0, "x", "float32", m->row, 2, NULL, NULL, 0, NULL),
      TENSOR(0, "k", "int64", m->pair, 1, NULL, NULL, 0, NULL)};
  const edgeprobe_plugin_tensor outputs[] = {
      TENSOR(0, "y", "float32", m->row, 2, NULL, NULL, 0, NULL),
      TENSOR(0, "total", "int64", m->one, 1, NULL, NULL, 0, NULL),
      TENSOR(0, "many", "uint8", m->open, 1, &m->scale, &m->zero, 1, NULL),
      TENSOR(0, "grid", "uint8", NULL, EDGEPROBE_PLUGIN_ANY_RANK, NULL, NULL, 0, NULL)};
  const edgeprobe_plugin_tensor layers[] = {
      TENSOR(0, "square", "float32", m->row, 2, NULL, NULL, 0, "Square"),
      TENSOR(0, "count", "uint8", m->open, 1, NULL, NULL, 0, NULL)};
  memcpy(m->inputs, inputs, sizeof inputs);
  memcpy(m->outputs, outputs, sizeof outputs);
  memcpy(m->layers, layers, sizeof layers);
  static const int32_t squares[1] = {0};
  const edgeprobe_plugin_kernel kernels[] = {
      {sizeof kernels[0], "square and scale", "FusedMultiply", "f32", squares, 1},
      {sizeof kernels[0], NULL, "Sum", NULL, NULL, 0}};
  memcpy(m->kernels, kernels, sizeof kernels);
  snprintf(m->note, sizeof m->note, "threads %d, float32 %d, verbose %s; %s in %s",
           (int)request->threads, (int)request->float32, request->values[3], request->name,
           request->folder ? request->folder : "an unknown folder");
  m->capturing = request->capturing;
  m->output_count = atoi(request->values[4]);
  m->notes[0] = m->note;
  if (is(m, "type")) m->outputs[0].dtype = "float31";
  if (is(m, "kernel size")) m->kernels[0].struct_size = 8;
  if (is(m, "tensor size")) m->outputs[0].struct_size = 8;
  if (is(m, "names")) m->inputs[1].name = "x";
  if (is(m, "layer names")) m->layers[1].name = "square";
  if (is(m, "scales")) m->outputs[2].scale_count = 2;
  if (is(m, "open input")) m->inputs[0].shape = m->open, m->inputs[0].rank = 1;
  if (is(m, "negative")) m->open[0] = -2;
  model->state = m;
  model->inputs = m->inputs;
  model->input_count = COUNT(inputs);
  model->outputs = m->outputs;
  model->output_count = is(m, "no outputs") ? 0 : (size_t)m->output_count;
  model->layers = m->layers;
  model->layer_count = COUNT(layers);
  model->notes = m->notes;
  model->note_count = 1;
  model->kernels = m->kernels;
  model->kernel_count = request->profile ? COUNT(kernels) : 0;
  model->stateful = atoi(request->values[5]);
  return 0;
}

static int run(void* state, const void* const* inputs, edgeprobe_plugin_value* outputs,
               int64_t* nanoseconds, char* message) {
  affine* m = state;
  ++m->runs;
  if (is(m, "refuse")) return say(message, "no memory on the card");
  if (is(m, "message only")) say(message, "this is not an answer");
  if (is(m, "crash")) raise(SIGSEGV);
  if (is(m, "hang")) prctl(PR_SET_NAME, "affine hangs"), pause();
  if (is(m, "exit")) _exit(3);
  if (is(m, "print")) puts("noise"), fflush(stdout);
  if (is(m, "clock")) *nanoseconds = 1234567;
  if (is(m, "negative clock")) *nanoseconds = -7;
  const float* x = inputs[0];
  const int64_t* k = inputs[1];
  float* y = outputs[0].data;
  for (int64_t i = 0; i < m->row[1]; ++i) {
    y[i] = m->factor * x[i] + (float)m->offset;
    m->square[i] = x[i] * x[i];
  }
  *(int64_t*)outputs[1].data = k[0] + k[1];
  if (is(m, "other memory")) outputs[0].data = m->square;
  if (m->to) return m->from == inputs[0] && m->to == y ? 0 : say(message, "this is other memory");
  if (m->output_count == 2) return 0;
  m->now[0] = m->runs;
  for (int64_t i = 0; i < m->runs && i < 256; ++i) m->many[i] = (uint8_t)i;
  outputs[2].data = m->many;
  outputs[2].size = (size_t)m->runs;
  outputs[2].shape = m->now;
  outputs[2].rank = 1;
  if (m->output_count > 3) {  // 0 to 3 dimensions of 1.
    m->grid[0] = m->grid[1] = m->grid[2] = 1;
    outputs[3].data = m->many;
    outputs[3].size = 1;
    outputs[3].shape = m->grid;
    outputs[3].rank = is(m, "dimensions") ? 99 : (size_t)(m->runs % 4);
  }
  if (is(m, "address")) outputs[0].data = m->square;
  if (is(m, "rank")) outputs[2].rank = 0;
  if (is(m, "bytes")) outputs[2].size = 200;
  if (is(m, "below zero")) m->now[0] = -4;
  if (is(m, "null")) outputs[2].data = NULL;
  return 0;
}

static int layer(void* state, size_t position, edgeprobe_plugin_value* value, char* message) {
  affine* m = state;
  if (!m->capturing) return say(message, "the request was not for layers");
  if (is(m, "layer")) return say(message, "the layer was fused");
  if (position == 0) {
    memcpy(value->data, m->square, value->size);
    return 0;
  }
  value->data = m->many;
  value->size = (size_t)m->runs;
  value->shape = m->now;
  value->rank = 1;
  return 0;
}

static int times(void* state, int64_t* nanoseconds, char* message) {
  affine* m = state;
  if (is(m, "times")) return say(message, "the counters are off");
  nanoseconds[0] = is(m, "negative time") ? -1 : 5000;
  nanoseconds[1] = 2000;
  return 0;
}

static void* bind(void* state, const void* const* inputs, const edgeprobe_plugin_value* outputs) {
  if (is(state, "no bind")) return NULL;
  affine* m = malloc(sizeof *m);
  *m = *(affine*)state;
  m->square = malloc(sizeof(float) * (size_t)m->row[1]);
  m->from = inputs[0];
  m->to = outputs[0].data;
  return m;
}

static int start(char* message) {
  return getenv("AFFINE_HAS_NO_DEVICE") ? say(message, "there is no device") : 0;
}

static void destroy(void* state) {
  affine* m = state;
  free(m->square);
  free(m);
}

static const char* const formats[] = {".aff", ".txt"};
static const edgeprobe_plugin_option options[] = {
    {sizeof options[0], EDGEPROBE_PLUGIN_FLOAT, "factor", "2", "0", "100", "The factor"},
    {sizeof options[0], EDGEPROBE_PLUGIN_INT, "offset", "0", NULL, NULL, NULL},
    {sizeof options[0], EDGEPROBE_PLUGIN_TEXT, "fault", "", NULL, NULL, "What goes \033[31mwrong"},
    {sizeof options[0], EDGEPROBE_PLUGIN_BOOL, "verbose", "no", NULL, NULL, NULL},
    {sizeof options[0], EDGEPROBE_PLUGIN_INT, "outputs", "3", "2", "4", NULL},
    {sizeof options[0], EDGEPROBE_PLUGIN_INT, "stateful", "0", "-1", "1", NULL},
};
static const edgeprobe_plugin_engine engine = {
    .struct_size = sizeof engine,
    .version = EDGEPROBE_PLUGIN_VERSION,
    .flags = EDGEPROBE_PLUGIN_THREADS | EDGEPROBE_PLUGIN_PRECISION,
    .name = "affine-c",
    .engine_version = "1.5",
    .help = "factor * x + offset",
    .formats = formats,
    .format_count = COUNT(formats),
    .options = options,
    .option_count = COUNT(options),
    .load = load,
    .run = run,
    .layer = layer,
    .destroy = destroy,
    .open = start,
    .times = times,
    .bind = bind,
};

const edgeprobe_plugin_engine* edgeprobe_plugin(uint32_t version) {
  return version == EDGEPROBE_PLUGIN_VERSION ? &engine : NULL;
}
