// SPDX-License-Identifier: Apache-2.0
// scale * weights * features. The file has the numbers of features and scores, then the weights.
#include <edgeprobe_plugin.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <vector>

struct Linear {
  int64_t x[2] = {1, 0}, y[2] = {1, 0};  // Shapes.
  std::vector<float> weights;
  float scale = 1;
  edgeprobe_plugin_tensor input = tensor("features", x), output = tensor("scores", y);

  static edgeprobe_plugin_tensor tensor(const char* name, const int64_t* shape) {
    return {sizeof(edgeprobe_plugin_tensor), 0, name, "float32", shape, 2, {}, {}, 0, {}};
  }
};

static int load(const edgeprobe_plugin_request* request, edgeprobe_plugin_model* model,
                char* message) try {
  auto m = std::make_unique<Linear>();
  std::ifstream file(request->path);
  file.exceptions(std::ios::failbit);  // An exception for a file with too few numbers.
  file >> m->x[1] >> m->y[1];
  m->weights.resize(m->x[1] * m->y[1]);
  for (float& weight : m->weights) file >> weight;
  m->scale = std::strtof(request->values[0], nullptr);
  model->inputs = &m->input, model->outputs = &m->output;
  model->input_count = model->output_count = 1;
  model->state = m.release();
  return 0;
} catch (const std::exception& error) {
  return std::snprintf(message, EDGEPROBE_PLUGIN_MESSAGE, "%s", error.what());
}

static int run(void* state, const void* const* in, edgeprobe_plugin_value* out, int64_t*, char*) {
  const auto& m = *static_cast<Linear*>(state);
  const auto* x = static_cast<const float*>(in[0]);
  for (int64_t i = 0; i < m.y[1]; ++i)
    static_cast<float*>(out[0].data)[i] =
        m.scale * std::inner_product(x, x + m.x[1], &m.weights[i * m.x[1]], 0.0f);
  return 0;
}

static void destroy(void* state) { delete static_cast<Linear*>(state); }

const edgeprobe_plugin_engine* edgeprobe_plugin(uint32_t version) {
  static const edgeprobe_plugin_option scale = {
      sizeof scale, EDGEPROBE_PLUGIN_FLOAT, "scale", "1", "0", nullptr, "Factor of all scores"};
  static edgeprobe_plugin_engine e{};
  e.struct_size = sizeof e, e.version = EDGEPROBE_PLUGIN_VERSION;
  e.name = "linear", e.engine_version = "1.0";
  e.options = &scale, e.option_count = 1;
  e.load = load, e.run = run, e.destroy = destroy;
  return version == EDGEPROBE_PLUGIN_VERSION ? &e : nullptr;
}
