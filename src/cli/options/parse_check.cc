// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check_command.h"
#include "cli/commands/compare/compare_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_check(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<CheckArgs>(
      app, "check", "Does this deployment do what was trained, and if not, why?",
      "edgeprobe check models/signs_int8.tflite --recipe \"$(sed s/rgb/bgr/ models/signs.recipe) | "
      "quantize(model)\" \\\n"
      "    --reference models/signs_float.tflite --reference-recipe models/signs.recipe \\\n"
      "    --data models/data/test --labels models/data/labels.csv",
      chosen, sub);
  sub->add_option("model", args->target.model,
                  "The deployed model: .tflite, .onnx, OpenVINO .xml or compiled TVM .so")
      ->required();
  add_recipe_flag(
      *sub, "--recipe", args->target.recipe,
      "The deployed pre-processing: text or a file; 'NAME: …' for one of several inputs");
  add_states(*sub, args->target, "");
  sub->add_option("--reference", args->reference.model, "The trusted model");
  add_recipe_flag(*sub, "--reference-recipe", args->reference.recipe,
                  "The trusted pre-processing: text or a file");
  add_function(*sub, args->reference, "reference-");
  add_tokenizer(*sub, args->target, "--tokenizer");
  add_tokenizer(*sub, args->reference, "--reference-tokenizer", "; default: --tokenizer");
  add_states(*sub, args->reference, "reference-");
  sub->add_option(
         "--golden", args->golden,
         "Known right outputs instead of a reference model (docs/tutorials/own-reference.md)")
      ->type_name("FILE.npz|FILE.csv");
  add_data(*sub, args->data, true);
  sub->add_option("--level", args->level, "What is compared: io | embedding | layers")
      ->capture_default_str();
  sub->add_option("--keep-traces", args->keep_traces,
                  "Keep target.mcap and reference.mcap in this folder");
  sub->add_option("--max-size", args->max_size, "Refuse to write a larger trace")
      ->capture_default_str();
  add_verdict(*sub, args->verdict);
  add_engine(*sub, args->target, "", "Engine of the deployment");
  add_target(*sub, args->target, "Engine of the deployment");
  add_cpus(*sub, args->target, "", "Engine of the deployment");
  add_engine(*sub, args->reference, "reference-", "Engine of the reference");
}

void add_diagnose(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args =
      verb<DiagnoseArgs>(app, "diagnose", "Why does a recorded trace differ from the reference?",
                         "edgeprobe diagnose t.mcap --reference models/signs_float.tflite "
                         "--reference-recipe models/signs.recipe",
                         chosen, sub);
  sub->add_option("trace", args->target, "The trace to explain")->required();
  sub->add_option("--reference", args->reference.model, "The trusted model");
  add_recipe_flag(*sub, "--reference-recipe", args->reference.recipe,
                  "The trusted pre-processing: text or a file");
  add_function(*sub, args->reference, "reference-");
  add_tokenizer(*sub, args->reference, "--reference-tokenizer");
  add_states(*sub, args->reference, "reference-");
  sub->add_option(
         "--golden", args->golden,
         "Known right outputs instead of a reference model (docs/tutorials/own-reference.md)")
      ->type_name("FILE.npz|FILE.csv");
  sub->add_option("--reference-trace", args->reference_trace,
                  "A recorded trace of the reference, instead of a replay");
  sub->add_option("--model", args->model.model,
                  "The target's own model, to measure what a fix restores");
  add_states(*sub, args->model, "");
  add_data(*sub, args->data, false);
  add_verdict(*sub, args->verdict);
  add_engine(*sub, args->model, "", "Engine of the target's model");
  add_target(*sub, args->model, "Engine of the target's model");
  add_engine(*sub, args->reference, "reference-", "Engine of the reference");
}

void add_compare(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<CompareArgs>(
      app, "compare", "Do two recorded traces agree? (yesterday's good build and today's)",
      "edgeprobe compare yesterday.mcap today.mcap\n  edgeprobe compare today.mcap --golden "
      "golden.npz",
      chosen, sub);
  sub->add_option("reference", args->reference,
                  "The trusted trace (with --golden: the trace to judge)")
      ->required();
  sub->add_option("target", args->target, "The trace to judge");
  sub->add_option(
         "--golden", args->golden,
         "Known right outputs instead of a trusted trace (docs/tutorials/own-reference.md)")
      ->type_name("FILE.npz|FILE.csv");
  sub->add_option("--layers", args->layers,
                  "Compare only layers whose name fits, and show each: '*' any run of characters, "
                  "'?' one (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PATTERN");
  sub->add_option(
         "--map", args->map,
         "Tensors that belong together: a file with two names a line (or CSV), reference first")
      ->type_name("FILE");
  sub->add_option("--top", args->top, "How many of the farthest tensors")->capture_default_str();
  sub->add_flag("--by-frame-number", args->by_frame_number,
                "Join frames by number although both traces name their samples");
  sub->add_option("--floor", args->floor,
                  "Mean output distance that counts as agreement (default 0.02, or 0.10 for "
                  "integers, more for few frames)");
  sub->add_option("--first-above", args->first_above,
                  "First layer that differs: the first whose RMSE over range is above this "
                  "(ML-EXray's rule; default: beyond rounding)")
      ->check(CLI::PositiveNumber);
  add_truth(*sub, args->truth);
  add_json(*sub, args->json);
}

}  // namespace edgeprobe::cli
