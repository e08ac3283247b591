// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/scenario_command.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/terminal/command_line.h"
#include "core/file.h"
#include "core/text.h"
#include "scenario/paths.h"
#include "scenario/plan.h"
#include "scenario/schema.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kMostResult = std::size_t{256} << 20;

/// Flags of `scenario run` and the keys that they take the place of.
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
      auto setting =
          scenario::setting_of(*scenario::find_key(one.block, one.key), value, flag, scenario.kind);
      if (!setting) return std::move(setting).error();
      scenario.set(*std::move(setting));
    }
  for (const std::string& text : args.set) {
    auto setting = scenario::setting_from_text(text, scenario.kind);
    if (!setting) return std::move(setting).error();
    scenario.set(*std::move(setting));
  }
  return {};
}

Result<scenario::Scenario> scenario_from(const ScenarioRunArgs& args) {
  const std::string label = "'" + sanitized(args.file, 200) + "'";
  const auto bytes = read_file(args.file, scenario::kMostBytes);
  if (!bytes) return bytes.error();
  auto read = scenario::scenario_from_text(ByteView(*bytes).text());
  if (!read) return std::move(read.error()).during(label);
  auto scenario = scenario::below(*std::move(read), fs::path(args.file).parent_path());
  if (auto good = apply_overrides(args, scenario); !good) return std::move(good).error();
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

/// The result of a step as JSON: what it printed, or the file that it wrote.
ordered_json result_of(const scenario::Step& step, const std::string& printed) {
  std::string text = printed;
  if (!step.json.empty()) {
    const auto file = read_file(step.json, kMostResult);
    text = file ? std::string(ByteView(*file).text()) : "";
  }
  auto result = ordered_json::parse(text, nullptr, false);
  return result.is_discarded() ? ordered_json(nullptr) : result;
}

/// 3 before 4 before 0.
Outcome graver(Outcome a, Outcome b) {
  if (a == Outcome::kDiffers || b == Outcome::kDiffers) return Outcome::kDiffers;
  return std::max(a, b);
}

/// What the steps found, and their results where they are wanted as one JSON.
struct Done {
  Outcome outcome = Outcome::kDone;
  ordered_json steps = ordered_json::array();
  std::optional<Error> failed;  ///< Of the last step.
};

Done perform_all(const std::vector<scenario::Step>& steps, bool as_json, Terminal& terminal) {
  Done done;
  for (const scenario::Step& step : steps) {
    std::vector<std::string> words = step.words;
    if (as_json && step.json.empty()) words.push_back("--json");
    terminal.err << "$ " << command_line(words) << std::endl;
    std::ostringstream printed;
    Terminal quiet{printed, terminal.err,  terminal.interactive,
                   false,   terminal.stop, terminal.perform};
    const auto outcome = terminal.perform(words, as_json ? quiet : terminal);
    if (as_json) {
      ordered_json one{{"command", command_line(words)}};
      if (outcome) one["exit_code"] = static_cast<int>(*outcome);
      else one["error"] = outcome.error().what;
      one["result"] = result_of(step, printed.str());
      done.steps.push_back(one);
    }
    if (!outcome) {
      done.failed = Error(outcome.error()).during("'" + step.words.front() + "' of the scenario");
      break;
    }
    done.outcome = graver(done.outcome, *outcome);
  }
  return done;
}

}  // namespace

Result<Outcome> run(const ScenarioRunArgs& args, Terminal& terminal) {
  const auto scenario = scenario_from(args);
  if (!scenario) return scenario.error();
  const bool serves = scenario->kind == scenario::Kind::kServer;
  if (serves && args.json.wanted)
    return Error{ErrorKind::kUsage,
                 "--json: an inference_server has no result; it serves until "
                 "it is interrupted"};
  const scenario::Results results = results_for(args, *scenario);
  const auto steps = scenario::plan(*scenario, results);
  if (args.dry_run) {
    for (const scenario::Step& step : steps) terminal.out << command_line(step.words) << "\n";
    return Outcome::kDone;
  }
  const Done done = perform_all(steps, args.json.wanted, terminal);
  if (args.json.wanted) {
    const ordered_json json{{"scenario", args.file},
                            {"kind", scenario::name(scenario->kind)},
                            {"folder", results.folder},
                            {"steps", done.steps}};
    const std::string text =
        json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    if (auto written = write_result(args.json, text, terminal.out); !written)
      return std::move(written).error();
  }
  if (done.failed) return *done.failed;
  return done.outcome;
}

Result<Outcome> run(const ScenarioSchemaArgs&, Terminal& terminal) {
  terminal.out << scenario::schema();
  return Outcome::kDone;
}

}  // namespace edgeprobe::cli
