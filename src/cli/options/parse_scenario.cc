// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/scenario_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {
namespace {

void add_scenario_run(CLI::App& scenario, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ScenarioRunArgs>(
      scenario, "run", "Run the test that a file describes, YAML or JSON",
      "edgeprobe scenario run models/signs.yml --frames 24 --report signs-results", chosen, sub);
  sub->add_option("file", args->file, "The scenario (docs/reference/scenarios.md)")->required();
  const auto instead = [&](const char* flag, const char* help) {
    sub->add_option_function<std::string>(
           flag,
           [overrides = &args->overrides, flag](const std::string& value) {
             overrides->emplace_back(flag, value);
           },
           help)
        ->group("Instead of what the file says");
  };
  instead("--model", "The model");
  instead("--data", "What it runs on");
  instead("--labels", "What is true");
  instead("--frames", "Use that many samples");
  instead("--recipe", "Pre-processing: text or a file");
  instead("--engine", "KIND or KIND:LIBRARY");
  instead("--threads", "Threads of the engine");
  instead("--target", "The machine that runs the model; of a server, where it listens");
  instead("--report", "The folder for results");
  sub->add_option("--set", args->set, "Any other key (repeatable)")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("BLOCK.KEY=VALUE")
      ->group("Instead of what the file says");
  sub->add_flag("--force", args->force, "Replace the results of an earlier run");
  sub->add_flag("--dry-run", args->dry_run, "Print the command lines and run none of them");
  add_json(*sub, args->json);
}

void add_scenario_from(CLI::App& scenario, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ScenarioFromArgs>(
      scenario, "from-command",
      "Our scenario for a command line or a scenario file of Kenning (Edge AI tester), and what "
      "has "
      "no place in it (docs/from-edge-ai-tester.md)",
      "edgeprobe scenario from-command 'python -m kenning.scenarios.inference_server "
      "kenning.runtimeprotocols.network.NetworkProtocol kenning.runtimes.tflite.TFLiteRuntime "
      "--host 127.0.0.1 --port 12345'",
      chosen, sub);
  sub->add_option("command", args->command,
                  "'python -m kenning.scenarios.NAME …', 'kenning VERB …', a .sh with such a line, "
                  "or a scenario file")
      ->required();
  sub->add_option("-o,--out", args->out, "The file to write (default: standard output)");
  sub->add_flag("--force", args->force, "Replace it");
  add_json(*sub, args->json);
}

}  // namespace

void add_scenario(CLI::App& app, Work& chosen) {
  CLI::App* const scenario =
      app.add_subcommand("scenario", "One file that describes a test; Kenning's as well");
  scenario->require_subcommand(1);
  scenario->footer("\nExample:\n  edgeprobe scenario run --help");
  add_scenario_run(*scenario, chosen);
  add_scenario_from(*scenario, chosen);
  CLI::App* sub = nullptr;
  verb<ScenarioSchemaArgs>(*scenario, "schema", "Print the JSON schema of such files, for editors",
                           "edgeprobe scenario schema", chosen, sub);
}

}  // namespace edgeprobe::cli
