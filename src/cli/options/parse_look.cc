// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/doctor_command.h"
#include "cli/commands/inspect_command.h"
#include "cli/commands/recipe_command.h"
#include "cli/commands/recipe_explain.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_inspect(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<InspectArgs>(app, "inspect", "What a model file holds, without running it",
                                "edgeprobe inspect models/signs_int8.tflite --lint", chosen, sub);
  sub->add_option("model", args->model, "A model file: .tflite or .onnx")->required();
  sub->add_flag("--tensors", args->tensors, "Also the table of all tensors");
  sub->add_flag("--ops", args->ops, "Also the inputs of each layer");
  sub->add_flag("--lint", args->lint,
                "Also what is wrong with the file, or likely to be: scales, biases, weights "
                "(exit code 3 when something is wrong for certain)");
  add_json(*sub, args->json);
}

void add_doctor(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<DoctorArgs>(
      app, "doctor",
      "Which engines this machine has, and what to install; or what can be measured on it, or what "
      "processors it has",
      "edgeprobe doctor\n  edgeprobe doctor --meters\n  edgeprobe doctor --processors", chosen,
      sub);
  sub->add_option("engines", args->engines,
                  "Engines to look at, e.g. tflite:/path/lib.so (default: every kind)");
  sub->add_flag("--force-engine-version", args->force_engine_version,
                "Accept a library version that was never tried");
  sub->add_flag("--meters", args->meters,
                "Memory, CPU time, load, frequency, temperature and power of this machine, or why "
                "they cannot be read");
  sub->add_flag(
      "--processors", args->processors,
      "CPUs, GPUs and DSPs of this machine, what keeps a model or a measurement from them, "
      "and the commands that help; before 'stretch search'");
  sub->add_option("--cpus", args->cpus,
                  "With --processors: the CPUs that an engine will get, e.g. 4-7 (default: all)")
      ->type_name("LIST");
  sub->add_option("--threads", args->threads,
                  "With --processors: how many threads an engine will have")
      ->check(CLI::Range(1, 4096));
  add_json(*sub, args->json);
}

void add_recipe(CLI::App& app, Work& chosen) {
  auto* recipe = app.add_subcommand(
      "recipe", "Pre-processing as data: what a recipe does (docs/reference/recipes.md)");
  recipe->require_subcommand(1);
  recipe->footer("\nExample:\n  edgeprobe recipe show models/signs.recipe");
  CLI::App* sub = nullptr;
  auto show = verb<RecipeShowArgs>(
      *recipe, "show", "The canonical text of a recipe and what each step does",
      "edgeprobe recipe show 'resize(224x224, bilinear, like=opencv) | color(rgb) | scale(-1..1)'",
      chosen, sub);
  sub->add_option("recipe", show->what,
                  "A recipe (text or file), or a model file for its default recipe")
      ->required();
  add_json(*sub, show->json);
  auto explain = verb<RecipeExplainArgs>(
      *recipe, "explain",
      "What each step does to one picture, as PNG files, to one recording, text or series of "
      "readings, or to recorded outputs",
      "edgeprobe recipe explain models/signs.recipe photo.jpg "
      "--model models/signs_float.tflite --out steps/",
      chosen, sub);
  sub->add_option("recipe", explain->recipe, "A recipe: text or file")->required();
  sub->add_option(
         "data", explain->image,
         "A picture or a recording; texts (.txt, .csv), of which the first is taken; "
         "readings (.npz), the first sample; for '|| ...' a trace (.mcap), its first frame")
      ->required();
  sub->add_option("--out", explain->out, "Folder for the PNG files");
  sub->add_option(
         "--tokenizer", explain->tokenizer,
         "For a recipe of text: a tokenizer.json, a Python function FILE.py:FUNCTION, or a "
         "command")
      ->type_name("TOKENIZER");
  sub->add_option("--python", explain->interpreter,
                  "The Python that runs it (default: $EDGEPROBE_PYTHON, else python3)")
      ->type_name("PROGRAM");
  sub->add_option("--model", explain->model, "A model file whose input the recipe feeds");
  sub->add_option("--input", explain->input, "Or the input itself, e.g. 1x224x224x3:float32");
}

}  // namespace edgeprobe::cli
