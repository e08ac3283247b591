// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_run(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<RunArgs>(
      app, "run", "Run a model on pictures or recorded tensors and record a trace",
      "edgeprobe run models/signs_float.tflite --recipe models/signs.recipe \\\n"
      "    --data models/data/test --labels models/data/labels.csv --level layers --trace t.mcap",
      chosen, sub);
  sub->add_option("model", args->pipeline.model,
                  "A model: .tflite, .onnx, OpenVINO .xml or compiled TVM .so")
      ->required();
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "Pre-processing: text or a file (edgeprobe recipe --help); 'NAME: …' for one of "
                  "several inputs");
  add_function(*sub, args->pipeline, "");
  add_tokenizer(*sub, args->pipeline, "--tokenizer");
  add_states(*sub, args->pipeline, "");
  add_data(*sub, args->data, true);
  sub->add_option("--level", args->level, "What is recorded: none | io | embedding | layers")
      ->capture_default_str();
  sub->add_flag(
      "--layer-times", args->layer_times,
      "One more pass with profiling: the time of each layer (edgeprobe trace info --latency)");
  sub->add_option(
      "--trace", args->trace,
      "The file to write (default: traces/<dataset>/<model>/<config>_<preprocess>.mcap)");
  sub->add_flag("--undeclared", args->undeclared,
                "Write no recipe, model or engine name into the trace");
  sub->add_option("--raw", args->raw,
                  "How the pictures are kept in the trace: encoded (their bytes) | pixels (as "
                  "decoded) | none")
      ->capture_default_str();
  sub->add_flag("--no-raw", args->no_raw, "The same as --raw none");
  sub->add_flag("--force", args->force, "Replace an existing trace");
  sub->add_option("--max-size", args->max_size, "Refuse to write a larger trace")
      ->capture_default_str();
  sub->add_option_function<std::string>(
         "--sensors",
         [flag = &args->sensors](const std::string& uri) {
           *flag = {true, uri};
         },
         "Record temperature, frequency, power and IIO sensors beside the frames; of the libiio "
         "context URI (ip:HOST, usb:) in place of this machine's")
      ->expected(0, 1)
      ->type_name("[URI]")
      ->default_str("")
      ->trigger_on_parse();
  sub->add_option("--measurements", args->measurements,
                  "Also write times, memory and CPUs over time, and quality, under Kenning's keys "
                  "(edgeprobe measurements)")
      ->type_name("FILE");
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
  add_target(*sub, args->pipeline, "Engine");
  sub->add_flag("--there", args->there,
                "Decode, prepare and record on the target, too (pictures); its trace comes back")
      ->group("Engine");
  add_cpus(*sub, args->pipeline, "", "Engine");
}

void add_replay(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ReplayArgs>(app, "replay", "Run the frames of a trace through another pipeline",
                               "edgeprobe replay t.mcap models/signs_float.tflite --recipe "
                               "models/signs.recipe --trace r.mcap\n"
                               "  edgeprobe replay t.mcap --pipeline prep.py:preprocess --model "
                               "models/signs_float.tflite --trace r.mcap",
                               chosen, sub);
  sub->add_option("source", args->source, "The trace whose frames are replayed")->required();
  sub->add_option("model,--model", args->pipeline.model,
                  "A model file (not needed with --pipeline: then the function runs alone)");
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe, "Pre-processing: text or a file");
  add_function(*sub, args->pipeline, "");
  add_tokenizer(*sub, args->pipeline, "--tokenizer");
  add_states(*sub, args->pipeline, "");
  add_data(*sub, args->data, false);
  sub->add_option("--level", args->level, "What is recorded: none | io | embedding | layers")
      ->capture_default_str();
  sub->add_flag(
      "--layer-times", args->layer_times,
      "One more pass with profiling: the time of each layer (edgeprobe trace info --latency)");
  sub->add_option("--trace", args->trace, "The file to write")->required();
  sub->add_flag("--force", args->force, "Replace an existing trace");
  sub->add_option("--max-size", args->max_size, "Refuse to write a larger trace")
      ->capture_default_str();
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
  add_target(*sub, args->pipeline, "Engine");
  add_cpus(*sub, args->pipeline, "", "Engine");
}

}  // namespace edgeprobe::cli
