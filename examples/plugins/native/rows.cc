// SPDX-License-Identifier: Apache-2.0
// A data set: each line of the file has the number of a class, then four features.
#include <edgeprobe_plugin.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

static std::vector<std::array<float, 5>> rows;
static std::vector<std::string> names;

static int begin(const char* const* options, void**, size_t* count, char*) {
  std::ifstream file(options[0]);
  for (std::array<float, 5> r; file >> r[0] >> r[1] >> r[2] >> r[3] >> r[4]; rows.push_back(r))
    names.push_back("row " + std::to_string((*count)++));
  return 0;
}

static const char* name(void*, size_t i) { return names[i].c_str(); }
static int32_t label(void*, size_t i) { return static_cast<int32_t>(rows[i][0]); }

static int load(void*, size_t i, edgeprobe_plugin_sample* sample, char*) {
  static const int64_t shape[] = {1, 4};
  static edgeprobe_plugin_tensor x = {sizeof x, 0, "features", "float32", shape, 2, {}, {}, 0, {}};
  static const void* values;
  values = &rows[i][1], sample->values = &values;
  sample->form = EDGEPROBE_PLUGIN_ARRAYS, sample->arrays = &x, sample->array_count = 1;
  return 0;
}

const edgeprobe_plugin_dataset* edgeprobe_plugin_data(uint32_t version) {
  static const edgeprobe_plugin_option file = {sizeof file, EDGEPROBE_PLUGIN_TEXT, "file", {}, {},
                                               {},          "Lines of numbers"};
  static const edgeprobe_plugin_dataset data = {
      sizeof data, EDGEPROBE_PLUGIN_VERSION, "rows", "1.0", {}, &file, 1, begin, name, load, label,
      [](void*) {}};
  return version == EDGEPROBE_PLUGIN_VERSION ? &data : nullptr;
}
