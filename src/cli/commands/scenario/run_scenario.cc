// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/scenario/run_scenario.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/convert/step_recipe.h"
#include "cli/options/trust.h"
#include "cli/terminal/command_line.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kMostResult = std::size_t{256} << 20;

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

Status check_code(const scenario::Scenario& scenario, const std::string& source, bool trust,
                  bool engine_is_given, bool data_is_given) {
  const std::string engine = scenario.value("engine", "name");
  if (!engine_is_given && !engine.empty()) EP_CHECK(check_library(engine, trust, source));
  if (!data_is_given) EP_CHECK(check_class(scenario.value("dataset", "data"), trust, source));
  const auto check_all = [&](const char* block, const char* key, const auto& check) -> Status {
    const scenario::Setting* const setting = scenario.find(block, key);
    if (setting)
      for (const std::string& one : setting->values) EP_CHECK(check(one, trust, source));
    return {};
  };
  EP_CHECK(check_all("training", "model", check_class));
  EP_CHECK(check_all("compiler", "to", check_class));
  EP_CHECK(check_all("report", "metric", check_class));
  EP_CHECK(check_all("engine", "delegate", check_delegate));
  return check_all("engine", "custom_ops", check_custom_ops);
}

Result<Outcome> run_scenario(const scenario::Scenario& scenario, const ScenarioWay& way,
                             Terminal& terminal) {
  const bool serves = scenario.kind == scenario::Kind::kServer;
  if (serves && way.json.wanted)
    return Error{ErrorKind::kUsage,
                 "--json: an inference_server has no result; it serves until "
                 "it is interrupted"};
  auto steps = scenario::plan(scenario, way.results);
  if (way.trust) hand_on_trust(steps);
  if (way.dry_run) {
    for (const scenario::Step& step : steps) terminal.out << command_line(step.words) << "\n";
    if (converts(steps) && scenario.find("recipe", ""))
      terminal.err
          << "the recipe fits each model: with quantize(model) where the converted one takes "
             "integers, without where the source takes real numbers\n";
    return Outcome::kDone;
  }
  if (converts(steps)) EP_CHECK(prepare_folder(way.results));
  const Done done = perform_all(steps, way.json.wanted, terminal);
  if (way.json.wanted) {
    const ordered_json json{{"scenario", way.source},
                            {"kind", scenario::name(scenario.kind)},
                            {"folder", way.results.folder},
                            {"steps", done.steps}};
    const std::string text =
        json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    EP_CHECK(write_result(way.json, text, terminal.out));
  }
  if (done.failed) return *done.failed;
  return done.outcome;
}

}  // namespace edgeprobe::cli
