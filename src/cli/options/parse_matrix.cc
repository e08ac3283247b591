// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/matrix_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_matrix(Parser& parser) {
  auto args = std::make_shared<MatrixArgs>();
  parser.option("model", args->pipeline.model, "A model file: .tflite or .onnx").required();
  parser
      .option("--engines", args->engines,
              "ENGINE, ENGINE:KERNELS, ENGINE:LEVEL or ENGINE:LIBRARY, with commas between "
              "(default: all of this machine)")
      .separated_by(',');
  add_target(parser, args->pipeline, "");
  parser.option("--reference-engine", args->reference,
                "The one that is trusted; without it the majority is named");
  parser.option("--data", args->data.data, "Pictures to run (default: seeded random inputs)");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  parser.option("--frames", args->data.frames,
                "Use that many pictures, evenly spread, or random inputs (default: all, or 3)");
  parser.option("--seed", args->seed, "Of the random inputs").shows_default();
  parser.flag("--outputs", args->outputs_only, "Compare the outputs alone");
  parser.flag("--all", args->all, "Show every layer");
  add_json(parser, args->json);
  const std::string group = "Engines";
  parser.option("--threads", args->pipeline.threads, "Threads of each engine")
      .shows_default("1")
      .group(group);
  parser
      .option("--precision", args->pipeline.precision,
              "f32: as the model says; engine: as the engine likes")
      .shows_default()
      .group(group);
  parser
      .flag("--force-engine-version", args->pipeline.force_engine_version,
            "Accept library versions that were never tried")
      .group(group);
  parser
      .option("--input-shape", args->pipeline.input_shape,
              "Resize the model's input, e.g. 1x96x96x3")
      .group(group);
  parser
      .option("--time-limit", args->pipeline.time_limit_s, "Seconds for one load or one inference")
      .shows_default()
      .group(group);
  return work_of(args);
}

}  // namespace edgeprobe::cli
