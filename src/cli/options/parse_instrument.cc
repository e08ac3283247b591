// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/instrument_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_instrument(Parser& parser) {
  auto args = std::make_shared<InstrumentArgs>();
  parser.option("model", args->pipeline.model, "The model file: .tflite or .onnx").required();
  parser.option("-o,--out", args->out, "The copy, in the format of the model").required();
  parser.option("--level", args->level, "Which layers: embedding or layers").shows_default();
  parser.option("--include", args->include,
                "Only tensors with such names; * and ? stand for any text and any byte");
  parser
      .option("--inputs", args->inputs,
              "Without --data: so many random inputs prove that nothing moved")
      .shows_default()
      .range(1, 10'000);
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "The pre-processing of --data: text or a file");
  add_data(parser, args->data, false);
  parser.flag("--force", args->force, "Replace OUT when it exists");
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine of the proof");
  return work_of(args);
}

}  // namespace edgeprobe::cli
