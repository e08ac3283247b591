// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/instrument_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_instrument(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<InstrumentArgs>(
      app, "instrument",
      "A copy of a model that gives its layers as outputs, for a probe inside an app",
      "edgeprobe instrument models/signs_int8.tflite --data models/data/test --frames 12 -o "
      "signs_layers.tflite",
      chosen, sub);
  sub->add_option("model", args->pipeline.model, "The model file: .tflite or .onnx")->required();
  sub->add_option("-o,--out", args->out, "The copy, in the format of the model")->required();
  sub->add_option("--level", args->level, "Which layers: embedding or layers")
      ->capture_default_str();
  sub->add_option("--include", args->include,
                  "Only tensors with such names; * and ? stand for any text and any byte");
  sub->add_option("--inputs", args->inputs,
                  "Without --data: so many random inputs prove that nothing moved")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000));
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "The pre-processing of --data: text or a file");
  add_data(*sub, args->data, false);
  sub->add_flag("--force", args->force, "Replace OUT when it exists");
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine of the proof");
}

}  // namespace edgeprobe::cli
