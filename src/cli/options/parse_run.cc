// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_run(Parser& parser) {
  auto args = std::make_shared<RunArgs>();
  parser
      .option("model", args->pipeline.model,
              "A model: .tflite, .onnx, OpenVINO .xml or compiled TVM .so")
      .required();
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing: text or a file (edgeprobe recipe --help); 'NAME: …' for one of "
                  "several inputs");
  add_function(parser, args->pipeline, "");
  add_tokenizer(parser, args->pipeline, "--tokenizer");
  add_states(parser, args->pipeline, "");
  add_data(parser, args->data, true);
  parser.option("--level", args->level, "What is recorded: none | io | embedding | layers")
      .shows_default();
  parser.flag(
      "--layer-times", args->layer_times,
      "One more pass with profiling: the time of each layer (edgeprobe trace info --latency)");
  parser.option("--trace", args->trace,
                "The file to write (default: traces/<dataset>/<model>/<config>_<preprocess>.mcap)");
  parser.flag("--undeclared", args->undeclared,
              "Write no recipe, model or engine name into the trace");
  parser
      .option("--raw", args->raw,
              "How the pictures are kept in the trace: encoded (their bytes) | pixels (as "
              "decoded) | none")
      .shows_default();
  parser.flag("--no-raw", args->no_raw, "The same as --raw none");
  parser.flag("--force", args->force, "Replace an existing trace");
  parser.option("--max-size", args->max_size, "Refuse to write a larger trace").shows_default();
  parser
      .option(
          "--sensors",
          [flag = &args->sensors](const std::string& uri) {
            *flag = {true, uri};
          },
          "Record temperature, frequency, power and IIO sensors beside the frames; of the libiio "
          "context URI (ip:HOST, usb:) in place of this machine's")
      .optional_value("[URI]");
  parser
      .option("--measurements", args->measurements,
              "Also write times, memory and CPUs over time, and quality, under Kenning's keys "
              "(edgeprobe measurements)")
      .type("FILE");
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  parser
      .flag("--there", args->there,
            "Decode, prepare and record on the target, too (pictures); its trace comes back")
      .group("Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

Work declare_replay(Parser& parser) {
  auto args = std::make_shared<ReplayArgs>();
  parser.option("source", args->source, "The trace whose frames are replayed").required();
  parser.option("model,--model", args->pipeline.model,
                "A model file (not needed with --pipeline: then the function runs alone)");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe, "Pre-processing: text or a file");
  add_function(parser, args->pipeline, "");
  add_tokenizer(parser, args->pipeline, "--tokenizer");
  add_states(parser, args->pipeline, "");
  add_data(parser, args->data, false);
  parser.option("--level", args->level, "What is recorded: none | io | embedding | layers")
      .shows_default();
  parser.flag(
      "--layer-times", args->layer_times,
      "One more pass with profiling: the time of each layer (edgeprobe trace info --latency)");
  parser.option("--trace", args->trace, "The file to write").required();
  parser.flag("--force", args->force, "Replace an existing trace");
  parser.option("--max-size", args->max_size, "Refuse to write a larger trace").shows_default();
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
