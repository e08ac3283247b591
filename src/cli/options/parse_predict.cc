// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/predict_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_predict_precision(Parser& parser) {
  auto args = std::make_shared<PredictArgs>();
  parser.option("model", args->pipeline.model, "A model file that computes in float32").required();
  add_data(parser, args->data, false, "8, evenly spread");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  parser.option("--seed", args->seed, "Of the random inputs that are taken without --data")
      .shows_default();
  parser
      .option("--precisions", args->precisions,
              "Some of float16, float16-sums, float16-blocks, float16-flushed, bfloat16, "
              "bfloat16-products, tf32, int8, with commas between (default: float16, "
              "float16-sums, bfloat16; with --data int8 too)")
      .separated_by(',');
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
