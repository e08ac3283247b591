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

void add_processors(CLI::App& app, ProcessorFlags& flags) {
  app.add_option("--device", flags.device,
                 "The processors, a file in YAML or JSON (docs/reference/device.md)")
      ->type_name("FILE.yaml")
      ->group("Processors");
  app.add_option("--engine", flags.engines,
                 "The engine of each CPU; may stand several times, the fastest is taken (default: "
                 "by the model's format)")
      ->type_name("KIND[:LIBRARY]")
      ->take_all()
      ->group("Processors");
  app.add_option("--cpus", flags.cpus,
                 "CPUs, each a processor, e.g. 0,1 (default: all that this process may use, at "
                 "most 8)")
      ->type_name("LIST")
      ->group("Processors");
}

void add_time_limit(CLI::App& app, double& seconds) {
  app.add_option("--time-limit", seconds, "Seconds for one load or one inference")
      ->capture_default_str();
}

void add_plan_and_model(CLI::App& app, std::string& plan, std::string& model) {
  app.add_option("plan", plan, "A plan of 'stretch plan' or 'stretch search'")->required();
  app.add_option("model", model, "A model of the structure that the plan is for")->required();
}

void add_plan(CLI::App& stretch, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<StretchPlanArgs>(
      stretch, "plan", "A division of a model over processors by the work of its layers",
      "edgeprobe stretch plan models/inception_like.onnx --output plan.json", chosen, sub);
  sub->add_option("model", args->model, "A model file: .tflite or .onnx")->required();
  sub->add_option("-o,--output", args->output, "Where the plan is written")
      ->type_name("PLAN.json")
      ->required();
  sub->add_flag("--force", args->force, "Replace it");
  sub->add_option("--split", args->split,
                  "Split layers themselves, not only what lies side by side: by their channels, or "
                  "by rows of pictures where that is possible")
      ->check(CLI::IsMember({"channels", "rows"}))
      ->type_name("channels|rows");
  add_processors(*sub, args->processors);
}

void add_search(CLI::App& stretch, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<StretchSearchArgs>(
      stretch, "search", "The fastest way to run a model on several processors, measured",
      "edgeprobe stretch search models/inception_like.onnx --output fastest.json", chosen, sub);
  sub->add_option("model", args->model, "A model file: .tflite or .onnx")->required();
  sub->add_option("-o,--output", args->output, "Where the plan of the fastest way is written")
      ->type_name("PLAN.json");
  sub->add_flag("--force", args->force, "Replace it");
  add_processors(*sub, args->processors);
  sub->add_option("--plans", args->plans,
                  "Also write the plan of each way that was measured: 1.json, 2.json, ... as in "
                  "the table")
      ->type_name("FOLDER");
  sub->add_option("--seconds", args->seconds, "Of each measurement, behind its warm-up")
      ->capture_default_str();
  sub->add_option("--best", args->best, "Divisions that are measured from end to end")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  sub->add_option("--rounds", args->rounds, "Processes of each of them and of each plain option")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  sub->add_flag("--fresh", args->fresh, "Measure again what earlier searches measured");
  add_time_limit(*sub, args->time_limit_s);
  add_json(*sub, args->json);
}

void add_split(CLI::App& stretch, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<StretchSplitArgs>(
      stretch, "split",
      "Which layers of a model could be computed in parts, and the model that does so",
      "edgeprobe stretch split models/inception_like.onnx --output parts.onnx", chosen, sub);
  sub->add_option("model", args->model, "A model file: .onnx")->required();
  sub->add_option("-o,--output", args->output, "Also write the model in parts")
      ->type_name("FILE.onnx");
  sub->add_flag("--force", args->force, "Replace it");
  sub->add_flag("--rows", args->rows, "Rows of pictures where that is possible, not channels");
  sub->add_option("--shares", args->shares, "How much of the work each part has, e.g. 2,1")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST")
      ->default_str("1,1");
  add_json(*sub, args->json);
}

void add_explain(CLI::App& stretch, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<StretchExplainArgs>(
      stretch, "explain", "What each processor does of a model under a plan, and when",
      "edgeprobe stretch explain plan.json models/inception_like.onnx", chosen, sub);
  add_plan_and_model(*sub, args->plan, args->model);
  sub->add_option("--runs", args->runs, "Inferences that are timed")->capture_default_str();
  add_time_limit(*sub, args->time_limit_s);
  add_json(*sub, args->json);
}

void add_table(CLI::App& stretch, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<StretchTableArgs>(
      stretch, "table", "A plan beside all that its engine does by itself, measured in turns",
      "edgeprobe stretch table plan.json models/inception_like.onnx", chosen, sub);
  add_plan_and_model(*sub, args->plan, args->model);
  sub->add_option("--seconds", args->seconds, "Of each measurement, behind its warm-up")
      ->capture_default_str();
  sub->add_option("--rounds", args->rounds, "Processes of each way; the fastest one counts")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  add_time_limit(*sub, args->time_limit_s);
  add_json(*sub, args->json);
}

void add_profile(CLI::App& stretch, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<StretchProfileArgs>(
      stretch, "profile",
      "What each model and plan of a folder takes on this machine: a row each in a table (CSV)",
      "edgeprobe stretch profile models --output result.csv", chosen, sub);
  sub->add_option("path", args->path,
                  "A folder with .onnx and .tflite models and plans, also in its folders, or one "
                  "of these files")
      ->required();
  sub->add_option("--model", args->plan_model,
                  "The model of plans that have none of their name beside them")
      ->type_name("FILE");
  sub->add_option("-o,--output", args->output,
                  "The table. What it has of the same model, engine and options is not measured "
                  "again")
      ->type_name("FILE.csv")
      ->capture_default_str();
  sub->add_flag("--force", args->force, "Replace it, and measure all of them");
  sub->add_option("--seconds", args->seconds, "Of each measurement, behind its warm-up")
      ->capture_default_str();
  sub->add_option("--processes", args->processes, "Of each configuration; the fastest one counts")
      ->check(CLI::Range(1, 50))
      ->capture_default_str();
  sub->add_option("--seed", args->seed, "Of the random inputs")->capture_default_str();
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "Pre-processing for --data: text or a file");
  add_data(*sub, args->data, false, "20");
  sub->add_option("--energy-counter", args->energy_counter,
                  "What counts energy, e.g. psys, or 'gauge power supply BAT0', which is added up "
                  "(default: the packages of the processors, else the only one there is)")
      ->type_name("NAME");
  sub->add_option("--energy-seconds", args->energy_seconds,
                  "At most so long a model is repeated for its energy: 100 steps of the counter")
      ->capture_default_str();
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
  sub->remove_option(sub->get_option("--threads"));
  sub->add_option("--threads,--num-threads,--num_threads", args->pipeline.threads,
                  "Threads of the engine")
      ->default_str("1")
      ->group("Engine");
  sub->add_option("--cpus,--core-affinity,--core_affinity", args->affinity,
                  "The CPUs that may run the engine: numbers (0,2-3) or a mask in hexadecimal "
                  "digits (0xf0; f0, but 10 is CPU 10) (default: all)")
      ->type_name("LIST|MASK")
      ->group("Engine");
}

}  // namespace

void add_stretch(CLI::App& app, Work& chosen) {
  CLI::App* const stretch =
      app.add_subcommand("stretch", "One model on several processors at once");
  stretch->require_subcommand(1);
  stretch->footer("\nExample:\n  edgeprobe stretch regions models/inception_like.onnx");
  CLI::App* sub = nullptr;
  auto args = verb<StretchRegionsArgs>(
      *stretch, "regions", "Which branches of a model could run side by side, from its file alone",
      "edgeprobe stretch regions models/inception_like.onnx", chosen, sub);
  sub->add_option("model", args->model, "A model file: .tflite or .onnx")->required();
  sub->add_option("--cut", args->cut, "Also write each branch as a model, into this folder")
      ->type_name("FOLDER");
  sub->add_flag("--force", args->force, "Replace files of an earlier run there");
  add_json(*sub, args->json);
  add_split(*stretch, chosen);
  add_plan(*stretch, chosen);
  add_search(*stretch, chosen);
  add_explain(*stretch, chosen);
  add_table(*stretch, chosen);
  add_profile(*stretch, chosen);
}

}  // namespace edgeprobe::cli
