// SPDX-License-Identifier: Apache-2.0
#include "scenario/plan.h"

#include <filesystem>

namespace edgeprobe::scenario {
namespace {

/// A word that a command line cannot mistake for a flag.
void add_value(std::vector<std::string>& words, const std::string& flag, const std::string& value) {
  if (value[0] == '-') {
    words.push_back(flag + "=" + value);
  } else {
    words.push_back(flag);
    words.push_back(value);
  }
}

/// The flags of one verb, according to the table.
void add_flags(std::vector<std::string>& words, const Scenario& scenario, Verb verb) {
  for (const Setting& setting : scenario.settings) {
    if ((setting.key->verbs & verb) == 0 || !*setting.key->flag) continue;
    for (const std::string& value : setting.values)
      if (setting.key->form != Form::kSwitch) add_value(words, setting.key->flag, value);
      else if (value == "true") words.push_back(setting.key->flag);
  }
}

std::string as_operand(const std::string& path) { return path[0] == '-' ? "./" + path : path; }

Step serve_step(const Scenario& scenario) {
  std::vector<std::string> words{"serve"};
  std::string address = scenario.value("target", "address");
  for (const char* const scheme : {"tcp://", "tls://"})
    if (address.starts_with(scheme)) address = address.substr(6);
  if (!address.empty()) add_value(words, "--listen", address);
  add_flags(words, scenario, kServe);
  return {words, ""};
}

Step train_step(const Scenario& scenario, const Results& results) {
  std::vector<std::string> words{"train", as_operand(scenario.value("training", "model"))};
  add_flags(words, scenario, kTrain);
  if (results.replace) words.push_back("--restart");
  return {words, ""};
}

Step conversions_step(const Scenario& scenario, const Results& results) {
  std::vector<std::string> words{"onnx-conversion",
                                 as_operand(scenario.value("conversions", "folder"))};
  for (const std::string& out : scenario.find("conversions", "out")->values)
    words.push_back(as_operand(out));
  add_flags(words, scenario, kGrid);
  if (results.replace) words.push_back("--force");
  return {words, ""};
}

/// Checks the result where it will run, if that machine is reachable; compiled formats are not sent
/// to it.
Step convert_step(const Scenario& scenario, const std::string& json) {
  std::vector<std::string> words{"convert", as_operand(scenario.value("model", "file"))};
  add_flags(words, scenario, kConvert);
  const std::string target = scenario.value("target", "address");
  if (target.empty()) {
    if (const std::string engine = scenario.value("engine", "name"); !engine.empty())
      add_value(words, "--target-engine", engine);
  } else if (const auto kind = std::filesystem::path(scenario.value("compiler", "out")).extension();
             kind == ".tflite" || kind == ".onnx") {
    add_value(words, "--target", target);
  }
  add_value(words, "--json", json);
  return {words, json};
}

Step measurements_step(const Scenario& scenario, const Results& results) {
  const std::filesystem::path folder(results.folder);
  std::vector<std::string> words{"measurements",
                                 as_operand((folder / "measurements.json").string())};
  const auto also = [&](const char* key, const char* flag, const std::string& file) {
    if (scenario.value("report", key) == "true") add_value(words, flag, (folder / file).string());
  };
  also("html", "--html", "report.html");
  also("markdown", "--markdown", "report.md");
  also("rst", "--rst", "report.rst");
  also("svg", "--svg", results.name);
  return {words, ""};
}

}  // namespace

std::vector<Step> plan(const Scenario& scenario, const Results& results) {
  if (scenario.kind == Kind::kServer) return {serve_step(scenario)};
  if (scenario.kind == Kind::kTraining) return {train_step(scenario, results)};
  if (scenario.kind == Kind::kConversions) return {conversions_step(scenario, results)};
  std::vector<Step> steps;
  const std::filesystem::path folder(results.folder);
  const bool converts = scenario.find("compiler", "to") != nullptr;
  const std::string conversion = (folder / "convert.json").string();
  if (converts) steps.push_back(convert_step(scenario, conversion));
  const std::string model =
      converts ? scenario.value("compiler", "out") : scenario.value("model", "file");
  const std::string target = scenario.value("target", "address");
  const auto measuring = [&](const char* verb, Verb flags) {
    std::vector<std::string> words{verb, as_operand(model)};
    add_flags(words, scenario, flags);
    if (!target.empty()) add_value(words, "--target", target);
    return words;
  };
  auto run = measuring("run", kRun);
  add_value(run, "--trace", (folder / "trace.mcap").string());
  add_value(run, "--measurements", (folder / "measurements.json").string());
  if (converts) add_value(run, "--conversion", conversion);
  if (results.replace) run.push_back("--force");
  steps.push_back({run, ""});
  if (scenario.value("report", "bench") == "true") {
    const std::string file = (folder / "bench.json").string();
    auto bench = measuring("bench", kBench);
    add_value(bench, "--json", file);
    steps.push_back({bench, file});
  }
  steps.push_back(measurements_step(scenario, results));
  steps.push_back({{"report", as_operand(results.folder)}, ""});
  return steps;
}

}  // namespace edgeprobe::scenario
