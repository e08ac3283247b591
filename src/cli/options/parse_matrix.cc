// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/matrix_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_matrix(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<MatrixArgs>(
      app, "matrix",
      "One model file on several engines: who computes the same as whom, layer by layer?",
      "edgeprobe matrix models/signs_int8.tflite --engines "
      "tflite:reference,tflite:xnnpack,litert,openvino",
      chosen, sub);
  sub->add_option("model", args->pipeline.model, "A model file: .tflite or .onnx")->required();
  sub->add_option("--engines", args->engines,
                  "ENGINE, ENGINE:KERNELS, ENGINE:LEVEL or ENGINE:LIBRARY, with commas between "
                  "(default: all of this machine)")
      ->delimiter(',');
  add_target(*sub, args->pipeline, "");
  sub->add_option("--reference-engine", args->reference,
                  "The one that is trusted; without it the majority is named");
  sub->add_option("--data", args->data.data, "Pictures to run (default: seeded random inputs)");
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  sub->add_option("--frames", args->data.frames,
                  "Use that many pictures, evenly spread, or random inputs (default: all, or 3)");
  sub->add_option("--seed", args->seed, "Of the random inputs")->capture_default_str();
  sub->add_flag("--outputs", args->outputs_only, "Compare the outputs alone");
  sub->add_flag("--all", args->all, "Show every layer");
  add_json(*sub, args->json);
  const std::string group = "Engines";
  sub->add_option("--threads", args->pipeline.threads, "Threads of each engine")
      ->default_str("1")
      ->group(group);
  sub->add_option("--precision", args->pipeline.precision,
                  "f32: as the model says; engine: as the engine likes")
      ->capture_default_str()
      ->group(group);
  sub->add_flag("--force-engine-version", args->pipeline.force_engine_version,
                "Accept library versions that were never tried")
      ->group(group);
  sub->add_option("--input-shape", args->pipeline.input_shape,
                  "Resize the model's input, e.g. 1x96x96x3")
      ->group(group);
  sub->add_option("--time-limit", args->pipeline.time_limit_s,
                  "Seconds for one load or one inference")
      ->capture_default_str()
      ->group(group);
}

}  // namespace edgeprobe::cli
