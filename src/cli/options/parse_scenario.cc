// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/scenario_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_scenario_run(Parser& parser) {
  auto args = std::make_shared<ScenarioRunArgs>();
  parser.option("file", args->file, "The scenario (docs/reference/scenarios.md)").required();
  const auto instead = [&](const char* flag, const char* help) {
    parser
        .option(
            flag,
            [overrides = &args->overrides, flag](const std::string& value) {
              overrides->emplace_back(flag, value);
            },
            help)
        .group("Instead of what the file says");
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
  parser.option("--set", args->set, "Any other key (repeatable)")
      .repeatable()
      .type("BLOCK.KEY=VALUE")
      .group("Instead of what the file says");
  parser.flag("--force", args->force, "Replace the results of an earlier run");
  parser.flag("--dry-run", args->dry_run, "Print the command lines and run none of them");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_scenario_from_command(Parser& parser) {
  auto args = std::make_shared<ScenarioFromArgs>();
  parser
      .option("command", args->command,
              "'python -m kenning.scenarios.NAME …', 'kenning VERB …', a .sh with such a line, "
              "or a scenario file")
      .required();
  parser.option("-o,--out", args->out, "The file to write (default: standard output)");
  parser.flag("--force", args->force, "Replace it");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_scenario_schema(Parser&) {
  auto args = std::make_shared<ScenarioSchemaArgs>();
  return work_of(args);
}

}  // namespace edgeprobe::cli
