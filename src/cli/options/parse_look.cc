// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/doctor_command.h"
#include "cli/commands/inspect_command.h"
#include "cli/commands/recipe_command.h"
#include "cli/commands/recipe_explain.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_inspect(Parser& parser) {
  auto args = std::make_shared<InspectArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.flag("--tensors", args->tensors, "Also the table of all tensors");
  parser.flag("--ops", args->ops, "Also the inputs of each layer");
  parser.flag("--lint", args->lint,
              "Also what is wrong with the file, or likely to be: scales, biases, weights "
              "(exit code 3 when something is wrong for certain)");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_doctor(Parser& parser) {
  auto args = std::make_shared<DoctorArgs>();
  parser.option("engines", args->engines,
                "Engines to look at, e.g. tflite:/path/lib.so (default: every kind)");
  parser.flag("--force-engine-version", args->force_engine_version,
              "Accept a library version that was never tried");
  parser.flag("--meters", args->meters,
              "Memory, CPU time, load, frequency, temperature and power of this machine, or why "
              "they cannot be read");
  parser.flag("--processors", args->processors,
              "CPUs, GPUs and DSPs of this machine, what keeps a model or a measurement from them, "
              "and the commands that help; before 'stretch search'");
  parser
      .option("--cpus", args->cpus,
              "With --processors: the CPUs that an engine will get, e.g. 4-7 (default: all)")
      .type("LIST");
  parser
      .option("--threads", args->threads, "With --processors: how many threads an engine will have")
      .range(1, 4096);
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_recipe_show(Parser& parser) {
  auto args = std::make_shared<RecipeShowArgs>();
  parser
      .option("recipe", args->what,
              "A recipe (text or file), or a model file for its default recipe")
      .required();
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_recipe_explain(Parser& parser) {
  auto args = std::make_shared<RecipeExplainArgs>();
  parser.option("recipe", args->recipe, "A recipe: text or file").required();
  parser
      .option("data", args->image,
              "A picture or a recording; texts (.txt, .csv), of which the first is taken; "
              "readings (.npz), the first sample; for '|| ...' a trace (.mcap), its first frame")
      .required();
  parser.option("--out", args->out, "Folder for the PNG files");
  parser
      .option("--tokenizer", args->tokenizer,
              "For a recipe of text: a tokenizer.json, a Python function FILE.py:FUNCTION, or a "
              "command")
      .type("TOKENIZER");
  parser
      .option("--python", args->interpreter,
              "The Python that runs it (default: $EDGEPROBE_PYTHON, else python3)")
      .type("PROGRAM");
  parser.option("--model", args->model, "A model file whose input the recipe feeds");
  parser.option("--input", args->input, "Or the input itself, e.g. 1x224x224x3:float32");
  return work_of(args);
}

}  // namespace edgeprobe::cli
