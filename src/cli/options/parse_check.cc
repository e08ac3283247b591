// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/check_command.h"
#include "cli/commands/compare/compare_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_check(Parser& parser) {
  auto args = std::make_shared<CheckArgs>();
  parser
      .option("model", args->target.model,
              "The deployed model: .tflite, .onnx, OpenVINO .xml or compiled TVM .so")
      .required();
  add_recipe_flag(
      parser, "--recipe", args->target.recipe,
      "The deployed pre-processing: text or a file; 'NAME: …' for one of several inputs");
  add_states(parser, args->target, "");
  parser.option("--reference", args->reference.model, "The trusted model");
  add_recipe_flag(parser, "--reference-recipe", args->reference.recipe,
                  "The trusted pre-processing: text or a file");
  add_function(parser, args->reference, "reference-");
  add_tokenizer(parser, args->target, "--tokenizer");
  add_tokenizer(parser, args->reference, "--reference-tokenizer", "; default: --tokenizer");
  add_states(parser, args->reference, "reference-");
  parser
      .option("--golden", args->golden,
              "Known right outputs instead of a reference model (docs/tutorials/own-reference.md)")
      .type("FILE.npz|FILE.csv");
  add_data(parser, args->data, true);
  parser.option("--level", args->level, "What is compared: io | embedding | layers")
      .shows_default();
  parser.option("--keep-traces", args->keep_traces,
                "Keep target.mcap and reference.mcap in this folder");
  parser.option("--max-size", args->max_size, "Refuse to write a larger trace").shows_default();
  add_verdict(parser, args->verdict);
  add_engine(parser, args->target, "", "Engine of the deployment");
  add_target(parser, args->target, "Engine of the deployment");
  add_cpus(parser, args->target, "", "Engine of the deployment");
  add_engine(parser, args->reference, "reference-", "Engine of the reference");
  return work_of(args);
}

Work declare_diagnose(Parser& parser) {
  auto args = std::make_shared<DiagnoseArgs>();
  parser.option("trace", args->target, "The trace to explain").required();
  parser.option("--reference", args->reference.model, "The trusted model");
  add_recipe_flag(parser, "--reference-recipe", args->reference.recipe,
                  "The trusted pre-processing: text or a file");
  add_function(parser, args->reference, "reference-");
  add_tokenizer(parser, args->reference, "--reference-tokenizer");
  add_states(parser, args->reference, "reference-");
  parser
      .option("--golden", args->golden,
              "Known right outputs instead of a reference model (docs/tutorials/own-reference.md)")
      .type("FILE.npz|FILE.csv");
  parser.option("--reference-trace", args->reference_trace,
                "A recorded trace of the reference, instead of a replay");
  parser.option("--model", args->model.model,
                "The target's own model, to measure what a fix restores");
  add_states(parser, args->model, "");
  add_data(parser, args->data, false);
  add_verdict(parser, args->verdict);
  add_engine(parser, args->model, "", "Engine of the target's model");
  add_target(parser, args->model, "Engine of the target's model");
  add_engine(parser, args->reference, "reference-", "Engine of the reference");
  return work_of(args);
}

Work declare_compare(Parser& parser) {
  auto args = std::make_shared<CompareArgs>();
  parser
      .option("reference", args->reference, "The trusted trace (with --golden: the trace to judge)")
      .required();
  parser.option("target", args->target, "The trace to judge");
  parser
      .option("--golden", args->golden,
              "Known right outputs instead of a trusted trace (docs/tutorials/own-reference.md)")
      .type("FILE.npz|FILE.csv");
  parser
      .option("--layers", args->layers,
              "Compare only layers whose name fits, and show each: '*' any run of characters, "
              "'?' one (repeatable)")
      .repeatable()
      .type("PATTERN");
  parser
      .option(
          "--map", args->map,
          "Tensors that belong together: a file with two names a line (or CSV), reference first")
      .type("FILE");
  parser.option("--top", args->top, "How many of the farthest tensors").shows_default();
  parser.flag("--by-frame-number", args->by_frame_number,
              "Join frames by number although both traces name their samples");
  parser.option("--floor", args->floor,
                "Mean output distance that counts as agreement (default 0.02, or 0.10 for "
                "integers, more for few frames)");
  parser
      .option("--first-above", args->first_above,
              "First layer that differs: the first whose RMSE over range is above this "
              "(ML-EXray's rule; default: beyond rounding)")
      .positive();
  add_truth(parser, args->truth);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
