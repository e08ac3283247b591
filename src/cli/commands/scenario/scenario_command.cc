// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/scenario/run_scenario.h"
#include "cli/options/json_flag.h"
#include "cli/options/trust.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "scenario/scenario.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe scenario run FILE`: runs the verbs described in the file one after
/// another.
struct ScenarioRunArgs {
  std::string file;
  /// Flags of the command line with their values; the last one wins.
  std::vector<std::pair<std::string, std::string>> overrides;
  std::vector<std::string> set;  ///< "BLOCK.KEY=VALUE".
  bool force = false, dry_run = false;
  bool trust = false;  ///< Load libraries named in the scenario.
  JsonFlag json;
};

/// Arguments of `edgeprobe scenario schema`: the JSON schema of scenario files.
struct ScenarioSchemaArgs {};

namespace {

namespace fs = std::filesystem;

/// Flags of `scenario run` and the keys that they override.
struct Override {
  const char* flag;
  const char* block;
  const char* key;
};
constexpr Override kOverrides[] = {
    {"--model", "model", "file"},       {"--data", "dataset", "data"},
    {"--labels", "dataset", "labels"},  {"--frames", "dataset", "frames"},
    {"--recipe", "recipe", ""},         {"--engine", "engine", "name"},
    {"--threads", "engine", "threads"}, {"--target", "target", "address"},
    {"--report", "report", "folder"},
};

Status apply_overrides(const ScenarioRunArgs& args, scenario::Scenario& scenario) {
  for (const auto& [flag, value] : args.overrides)
    for (const Override& one : kOverrides) {
      if (flag != one.flag) continue;
      EP_TRY(auto setting, scenario::setting_of(*scenario::find_key(one.block, one.key), value,
                                                flag, scenario.kind));
      scenario.set(std::move(setting));
    }
  for (const std::string& text : args.set) {
    EP_TRY(auto setting, scenario::setting_from_text(text, scenario.kind));
    scenario.set(std::move(setting));
  }
  return {};
}

Result<scenario::Scenario> scenario_from(const ScenarioRunArgs& args) {
  const std::string label = "'" + sanitized(args.file, 200) + "'";
  EP_TRY(const auto bytes, read_file(args.file, document::kMostBytes));
  auto read = scenario::scenario_from_text(ByteView(bytes).text());
  if (!read) return std::move(read.error()).during(label);
  auto scenario = scenario::below(*std::move(read), fs::path(args.file).parent_path());
  if (!args.dry_run) {
    const auto is_given = [&](const char* flag) {
      return std::any_of(args.overrides.begin(), args.overrides.end(),
                         [&](const auto& one) { return one.first == flag; });
    };
    EP_CHECK(check_code(scenario, args.file, args.trust, is_given("--engine"), is_given("--data")));
  }
  EP_CHECK(apply_overrides(args, scenario));
  if (auto whole = scenario::check_complete(scenario); !whole)
    return std::move(whole.error()).during(label);
  return scenario;
}

scenario::Results results_for(const ScenarioRunArgs& args, const scenario::Scenario& scenario) {
  const fs::path file(args.file);
  scenario::Results results{scenario.value("report", "folder"), file.stem().string(), args.force};
  if (results.folder.empty())
    results.folder = (file.parent_path() / (results.name + "-results")).string();
  return results;
}

}  // namespace

Result<Outcome> run(const ScenarioRunArgs& args, Terminal& terminal) {
  EP_TRY(const auto scenario, scenario_from(args));
  return run_scenario(scenario,
                      {args.file, results_for(args, scenario), args.dry_run, args.trust, args.json},
                      terminal);
}

Result<Outcome> run(const ScenarioSchemaArgs&, Terminal& terminal) {
  terminal.out << scenario::schema();
  return Outcome::kDone;
}

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
        .group("Instead of the file's values");
  };
  add_trust(parser, args->trust, "", "");
  instead("--model", "The model");
  instead("--data", "The data to run it on");
  instead("--labels", "Ground truth");
  instead("--frames", "Use that many samples");
  instead("--recipe", "Pre-processing: text or a file");
  instead("--engine", "KIND or KIND:LIBRARY");
  instead("--threads", "Threads of the engine");
  instead("--target", "The machine that runs the model; for a server its listening address");
  instead("--report", "The folder for results");
  parser.option("--set", args->set, "Any other key (repeatable)")
      .repeatable()
      .type("BLOCK.KEY=VALUE")
      .group("Instead of the file's values");
  parser.flag("--force", args->force, "Replace the results of an earlier run");
  parser.flag("--dry-run", args->dry_run, "Print the command lines without running them");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_scenario_schema(Parser&) {
  auto args = std::make_shared<ScenarioSchemaArgs>();
  return work_of(args);
}

}  // namespace edgeprobe::cli
