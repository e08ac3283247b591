// SPDX-License-Identifier: Apache-2.0
// A data set in C: gray pictures of one level each, the last one as a file. The option "fault"
// names what goes wrong.
#include <edgeprobe_plugin.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static char fault[40];
static const char* const names[] = {"a", "b", "c", "gray_4x4.nv12"};

static int is(const char* what) { return strcmp(fault, what) == 0; }

static int begin(const char* const* values, void** state, size_t* count, char* message) {
  snprintf(fault, sizeof fault, "%s", values[0]);
  *state = fault;
  *count = is("none") ? 0 : 4;
  if (!is("open")) return 0;
  snprintf(message, EDGEPROBE_PLUGIN_MESSAGE, "the disk is away");
  return EDGEPROBE_PLUGIN_USAGE;
}

static const char* sample(void* state, size_t position) {
  (void)state;
  return is("names") ? "a" : is("no name") ? NULL : names[position];
}

static int load(void* state, size_t position, edgeprobe_plugin_sample* to, char* message) {
  (void)state;
  static const int64_t picture[] = {2, 3, 1}, bytes[] = {24};
  static edgeprobe_plugin_tensor array;
  static uint8_t levels[24];
  static const void* values[1];
  if (position == 1 && is("load")) {
    snprintf(message, EDGEPROBE_PLUGIN_MESSAGE, "the file is cut off");
    return EDGEPROBE_PLUGIN_CORRUPT;
  }
  if (position == 1 && is("crash")) raise(SIGSEGV);
  const int is_file = position == 3;
  array = (edgeprobe_plugin_tensor){sizeof array,
                                    0,
                                    "",
                                    is("type") ? "float32" : "uint8",
                                    is_file ? bytes : picture,
                                    is_file ? 1 : 3,
                                    NULL,
                                    NULL,
                                    0,
                                    NULL};
  memset(levels, is_file ? 128 : 40 + 40 * (int)position, sizeof levels);
  values[0] = levels;
  to->form = is("form") ? 9 : is_file ? EDGEPROBE_PLUGIN_FILE : EDGEPROBE_PLUGIN_PICTURE;
  to->arrays = &array;
  to->values = is("null") ? NULL : values;
  to->array_count = 1;
  return 0;
}

static void end(void* state) { (void)state; }

static const edgeprobe_plugin_option options[] = {
    {sizeof options[0], EDGEPROBE_PLUGIN_TEXT, "fault", "", NULL, NULL, NULL}};
static const edgeprobe_plugin_dataset data = {
    .struct_size = sizeof data,
    .version = EDGEPROBE_PLUGIN_VERSION,
    .name = "pictures",
    .dataset_version = "2",
    .options = options,
    .option_count = 1,
    .open = begin,
    .sample = sample,
    .load = load,
    .close = end,
};

const edgeprobe_plugin_dataset* edgeprobe_plugin_data(uint32_t version) {
  return version == EDGEPROBE_PLUGIN_VERSION ? &data : NULL;
}
