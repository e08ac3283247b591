// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_explain_command.h"
#include "cli/commands/stretch_profile_command.h"
#include "cli/commands/stretch_regions_command.h"
#include "cli/commands/stretch_search_command.h"
#include "cli/commands/stretch_split_command.h"
#include "cli/commands/stretch_table_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {
namespace {

void add_processors(Parser& app, ProcessorFlags& flags) {
  app.option("--device", flags.device,
             "The processors, a file in YAML or JSON (docs/reference/device.md)")
      .type("FILE.yaml")
      .group("Processors");
  app.option("--engine", flags.engines,
             "The engine of each CPU; may stand several times, the fastest is taken (default: "
             "by the model's format)")
      .type("KIND[:LIBRARY]")
      .take_all()
      .group("Processors");
  app.option("--cpus", flags.cpus,
             "CPUs, each a processor, e.g. 0,1 (default: all that this process may use, at "
             "most 8)")
      .type("LIST")
      .group("Processors");
}

void add_time_limit(Parser& app, double& seconds) {
  app.option("--time-limit", seconds, "Seconds for one load or one inference").shows_default();
}

void add_plan_and_model(Parser& app, std::string& plan, std::string& model) {
  app.option("plan", plan, "A plan of 'stretch plan' or 'stretch search'").required();
  app.option("model", model, "A model of the structure that the plan is for").required();
}

}  // namespace

Work declare_stretch_plan(Parser& parser) {
  auto args = std::make_shared<StretchPlanArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.option("-o,--output", args->output, "Where the plan is written")
      .type("PLAN.json")
      .required();
  parser.flag("--force", args->force, "Replace it");
  parser
      .option("--split", args->split,
              "Split layers themselves, not only what lies side by side: by their channels, or "
              "by rows of pictures where that is possible")
      .one_of({"channels", "rows"})
      .type("channels|rows");
  add_processors(parser, args->processors);
  return work_of(args);
}

Work declare_stretch_search(Parser& parser) {
  auto args = std::make_shared<StretchSearchArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.option("-o,--output", args->output, "Where the plan of the fastest way is written")
      .type("PLAN.json");
  parser.flag("--force", args->force, "Replace it");
  add_processors(parser, args->processors);
  parser
      .option("--plans", args->plans,
              "Also write the plan of each way that was measured: 1.json, 2.json, ... as in "
              "the table")
      .type("FOLDER");
  parser.option("--seconds", args->seconds, "Of each measurement, behind its warm-up")
      .shows_default();
  parser.option("--best", args->best, "Divisions that are measured from end to end")
      .range(1, 50)
      .shows_default();
  parser.option("--rounds", args->rounds, "Processes of each of them and of each plain option")
      .range(1, 50)
      .shows_default();
  parser.flag("--fresh", args->fresh, "Measure again what earlier searches measured");
  add_time_limit(parser, args->time_limit_s);
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_stretch_split(Parser& parser) {
  auto args = std::make_shared<StretchSplitArgs>();
  parser.option("model", args->model, "A model file: .onnx").required();
  parser.option("-o,--output", args->output, "Also write the model in parts").type("FILE.onnx");
  parser.flag("--force", args->force, "Replace it");
  parser.flag("--rows", args->rows, "Rows of pictures where that is possible, not channels");
  parser.option("--shares", args->shares, "How much of the work each part has, e.g. 2,1")
      .separated_by(',')
      .one_word()
      .type("LIST")
      .shows_default("1,1");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_stretch_explain(Parser& parser) {
  auto args = std::make_shared<StretchExplainArgs>();
  add_plan_and_model(parser, args->plan, args->model);
  parser.option("--runs", args->runs, "Inferences that are timed").shows_default();
  add_time_limit(parser, args->time_limit_s);
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_stretch_table(Parser& parser) {
  auto args = std::make_shared<StretchTableArgs>();
  add_plan_and_model(parser, args->plan, args->model);
  parser.option("--seconds", args->seconds, "Of each measurement, behind its warm-up")
      .shows_default();
  parser.option("--rounds", args->rounds, "Processes of each way; the fastest one counts")
      .range(1, 50)
      .shows_default();
  add_time_limit(parser, args->time_limit_s);
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_stretch_profile(Parser& parser) {
  auto args = std::make_shared<StretchProfileArgs>();
  parser
      .option("path", args->path,
              "A folder with .onnx and .tflite models and plans, also in its folders, or one "
              "of these files")
      .required();
  parser
      .option("--model", args->plan_model,
              "The model of plans that have none of their name beside them")
      .type("FILE");
  parser
      .option("-o,--output", args->output,
              "The table. What it has of the same model, engine and options is not measured "
              "again")
      .type("FILE.csv")
      .shows_default();
  parser.flag("--force", args->force, "Replace it, and measure all of them");
  parser.option("--seconds", args->seconds, "Of each measurement, behind its warm-up")
      .shows_default();
  parser.option("--processes", args->processes, "Of each configuration; the fastest one counts")
      .range(1, 50)
      .shows_default();
  parser.option("--seed", args->seed, "Of the random inputs").shows_default();
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing for --data: text or a file");
  add_data(parser, args->data, false, "20");
  parser
      .option("--energy-counter", args->energy_counter,
              "What counts energy, e.g. psys, or 'gauge power supply BAT0', which is added up "
              "(default: the packages of the processors, else the only one there is)")
      .type("NAME");
  parser
      .option("--energy-seconds", args->energy_seconds,
              "At most so long a model is repeated for its energy: 100 steps of the counter")
      .shows_default();
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  parser.remove("--threads");
  parser
      .option("--threads,--num-threads,--num_threads", args->pipeline.threads,
              "Threads of the engine")
      .shows_default("1")
      .group("Engine");
  parser
      .option("--cpus,--core-affinity,--core_affinity", args->affinity,
              "The CPUs that may run the engine: numbers (0,2-3) or a mask in hexadecimal "
              "digits (0xf0; f0, but 10 is CPU 10) (default: all)")
      .type("LIST|MASK")
      .group("Engine");
  return work_of(args);
}

Work declare_stretch_regions(Parser& parser) {
  auto args = std::make_shared<StretchRegionsArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.option("--cut", args->cut, "Also write each branch as a model, into this folder")
      .type("FOLDER");
  parser.flag("--force", args->force, "Replace files of an earlier run there");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
