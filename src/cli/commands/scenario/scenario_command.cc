// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/convert/step_recipe.h"
#include "cli/options/json_flag.h"
#include "cli/options/trust.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "scenario/plan.h"
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
using nlohmann::ordered_json;

constexpr std::size_t kMostResult = std::size_t{256} << 20;

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

// Checks the engine, the plug-ins and the delegates named in the file; those named by flags are the
// user's choice.
Status check_code(const ScenarioRunArgs& args, const scenario::Scenario& scenario) {
  const auto is_given = [&](const char* flag) {
    return std::any_of(args.overrides.begin(), args.overrides.end(),
                       [&](const auto& one) { return one.first == flag; });
  };
  const std::string engine = scenario.value("engine", "name");
  if (!is_given("--engine") && !engine.empty())
    EP_CHECK(check_library(engine, args.trust, args.file));
  if (!is_given("--data"))
    EP_CHECK(check_class(scenario.value("dataset", "data"), args.trust, args.file));
  for (const auto& [block, key] : {std::pair{"compiler", "to"}, std::pair{"report", "metric"}})
    EP_CHECK(check_class(scenario.value(block, key), args.trust, args.file));
  if (const scenario::Setting* const delegates = scenario.find("engine", "delegate"))
    for (const std::string& one : delegates->values)
      EP_CHECK(check_delegate(one, args.trust, args.file));
  if (const scenario::Setting* const libraries = scenario.find("engine", "custom_ops"))
    for (const std::string& one : libraries->values)
      EP_CHECK(check_custom_ops(one, args.trust, args.file));
  return {};
}

Result<scenario::Scenario> scenario_from(const ScenarioRunArgs& args) {
  const std::string label = "'" + sanitized(args.file, 200) + "'";
  EP_TRY(const auto bytes, read_file(args.file, document::kMostBytes));
  auto read = scenario::scenario_from_text(ByteView(bytes).text());
  if (!read) return std::move(read.error()).during(label);
  auto scenario = scenario::below(*std::move(read), fs::path(args.file).parent_path());
  if (!args.dry_run) EP_CHECK(check_code(args, scenario));
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

/// Makes the folder of the results for a conversion, whose record comes first. kUsage if it has
/// results that `run` would not replace: better now than after the conversion.
Status prepare_folder(const scenario::Results& results) {
  std::error_code failed;
  const fs::path trace = fs::path(results.folder) / "trace.mcap";
  if (!results.replace && fs::exists(trace, failed))
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(trace.string(), 300) +
                     "' exists; give another --report, or --force to replace it"};
  failed.clear();
  fs::create_directories(results.folder, failed);
  if (failed)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(results.folder, 300) + "': cannot create: " + failed.message()};
  return {};
}

/// The result of a step as JSON: from its output, or from the file that it wrote.
ordered_json result_of(const scenario::Step& step, const std::string& printed) {
  std::string text = printed;
  if (!step.json.empty()) {
    const auto file = read_file(step.json, kMostResult);
    text = file ? std::string(ByteView(*file).text()) : "";
  }
  auto result = ordered_json::parse(text, nullptr, false);
  return result.is_discarded() ? ordered_json(nullptr) : result;
}

/// The more severe of two outcomes: kDiffers before kUndecided before kDone.
Outcome graver(Outcome a, Outcome b) {
  if (a == Outcome::kDiffers || b == Outcome::kDiffers) return Outcome::kDiffers;
  return std::max(a, b);
}

/// Outcome of the steps, with their results if a single JSON is requested.
struct Done {
  Outcome outcome = Outcome::kDone;
  ordered_json steps = ordered_json::array();
  std::optional<Error> failed;  ///< Error of the last step.
};

// The steps open the scenario's plan as their engine, so --trust applies to its libraries too.
void hand_on_trust(std::vector<scenario::Step>& steps) {
  for (scenario::Step& step : steps)
    if (std::find(step.words.begin(), step.words.end(), "--engine") != step.words.end())
      step.words.push_back("--trust");
}

bool converts(const std::vector<scenario::Step>& steps) {
  return steps.front().words.front() == "convert";
}

/// The words of a step, fitted once the earlier steps are done: the output of 'convert' determines
/// its recipe.
Result<std::vector<std::string>> words_of(const scenario::Step& step, bool after_conversion) {
  std::vector<std::string> words = step.words;
  const std::string& verb = words.front();
  if (after_conversion && (verb == "convert" || verb == "run" || verb == "bench"))
    EP_CHECK(fit_recipe(words, words.at(1)));
  return words;
}

Done perform_all(const std::vector<scenario::Step>& steps, bool as_json, Terminal& terminal) {
  Done done;
  for (const scenario::Step& step : steps) {
    auto fitted = words_of(step, converts(steps));
    if (!fitted) {
      done.failed = std::move(fitted).error();
      break;
    }
    std::vector<std::string> words = *std::move(fitted);
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

/// Returns the most severe outcome; stops at the first failure and keeps earlier results.
Result<Outcome> run(const ScenarioRunArgs& args, Terminal& terminal) {
  EP_TRY(const auto scenario, scenario_from(args));
  const bool serves = scenario.kind == scenario::Kind::kServer;
  if (serves && args.json.wanted)
    return Error{ErrorKind::kUsage,
                 "--json: an inference_server has no result; it serves until "
                 "it is interrupted"};
  const scenario::Results results = results_for(args, scenario);
  auto steps = scenario::plan(scenario, results);
  if (args.trust) hand_on_trust(steps);
  if (args.dry_run) {
    for (const scenario::Step& step : steps) terminal.out << command_line(step.words) << "\n";
    if (converts(steps) && scenario.find("recipe", ""))
      terminal.err
          << "the recipe fits each model: with quantize(model) where the converted one takes "
             "integers, without where the source takes real numbers\n";
    return Outcome::kDone;
  }
  if (converts(steps)) EP_CHECK(prepare_folder(results));
  const Done done = perform_all(steps, args.json.wanted, terminal);
  if (args.json.wanted) {
    const ordered_json json{{"scenario", args.file},
                            {"kind", scenario::name(scenario.kind)},
                            {"folder", results.folder},
                            {"steps", done.steps}};
    const std::string text =
        json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    EP_CHECK(write_result(args.json, text, terminal.out));
  }
  if (done.failed) return *done.failed;
  return done.outcome;
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
