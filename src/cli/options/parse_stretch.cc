// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_explain_command.h"
#include "cli/commands/stretch_regions_command.h"
#include "cli/commands/stretch_search_command.h"
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
  add_plan(*stretch, chosen);
  add_search(*stretch, chosen);
  add_explain(*stretch, chosen);
  add_table(*stretch, chosen);
}

}  // namespace edgeprobe::cli
