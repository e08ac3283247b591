// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/predict_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_predict(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<PredictArgs>(
      app, "predict-precision",
      "What float16, bfloat16 or int8 would do to a float model, and which layers to keep in "
      "float32",
      "edgeprobe predict-precision models/signs_float.tflite --data models/data/test --recipe "
      "models/signs.recipe",
      chosen, sub);
  sub->add_option("model", args->pipeline.model, "A model file that computes in float32")
      ->required();
  add_data(*sub, args->data, false, "8, evenly spread");
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  sub->add_option("--seed", args->seed, "Of the random inputs that are taken without --data")
      ->capture_default_str();
  sub->add_option("--precisions", args->precisions,
                  "Some of float16, float16-sums, float16-blocks, float16-flushed, bfloat16, "
                  "bfloat16-products, tf32, int8, with commas between (default: float16, "
                  "float16-sums, bfloat16; with --data int8 too)")
      ->delimiter(',');
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
}

}  // namespace edgeprobe::cli
