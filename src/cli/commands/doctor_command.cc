// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/commands/run/sensor_log.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/meters.h"
#include "cli/tables/processors.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/target.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe doctor`: which engines this machine has, whether they start, and what to
/// install.
struct DoctorArgs {
  /// Such as "tflite:/path/lib.so"; empty: the default of every kind.
  std::vector<std::string> engines;
  /// List what can be measured here, and why the rest cannot, instead of the engines.
  bool meters = false;
  bool processors = false;  ///< List the processors and what limits them, instead of the engines.
  std::string cpus;         ///< With `processors`: the CPUs that the engine will use, "0,2-3".
  int threads = 0;          ///< With `processors`: threads of the engine; 0: not given.
  JsonFlag json;
};

namespace {

/// Result for one engine: its identity, or why it cannot be used.
struct EngineFinding {
  engine::EngineChoice choice;
  engine::EngineIdentity identity;
  std::string problem;
  std::string found;  ///< The rule by which its library was found.
  bool works() const { return problem.empty(); }
};

EngineFinding examine(engine::EngineChoice choice) {
  auto opened = engine::open_supervised(choice);
  const auto place = engine::find_library(choice);
  EngineFinding finding{std::move(choice), {}, {}, place ? place->rule : ""};
  if (opened) finding.identity = (*opened)->identity();
  else finding.problem = opened.error().what;
  return finding;
}

std::vector<std::string> formats_of(const EngineFinding& finding) {
  const engine::EngineKind* const kind = engine::find_kind(finding.choice.kind);
  return kind ? engine::format_names(*kind) : std::vector<std::string>{};
}

/// Capabilities of the engine in general; abilities are those of its library.
std::vector<std::string> capabilities_of(const EngineFinding& finding) {
  std::vector<std::string> names;
  if (const engine::EngineKind* const kind = engine::find_kind(finding.choice.kind))
    for (const engine::Capability capability : engine::all_capabilities())
      if (kind->can(capability)) names.emplace_back(engine::name(capability));
  return names;
}

std::string engines_text(const std::vector<EngineFinding>& findings) {
  std::string text;
  for (const EngineFinding& finding : findings) {
    text += finding.choice.kind + (finding.works() ? "  " + finding.identity.version + "  works\n"
                                                   : "  cannot be used\n");
    if (finding.works()) {
      text += "  library    " + sanitized(finding.identity.library.string(), 300) +
              (finding.found.empty() ? "" : " (" + sanitized(finding.found, 100) + ")") + "\n";
      text += "  sha256     " + finding.identity.sha256 + "\n";
      text += "  formats    " + edgeprobe::joined(formats_of(finding)) + "\n";
      text += "  abilities  " + edgeprobe::joined(finding.identity.abilities) + "\n";
      if (const std::string note = engine::untried_note(finding.identity); !note.empty())
        text += "  note       " + note + "\n";
    } else {
      text += "  " + finding.problem + "\n";
    }
  }
  return text;
}

std::string engines_json(const std::vector<EngineFinding>& findings) {
  auto engines = nlohmann::ordered_json::array();
  for (const EngineFinding& finding : findings) {
    nlohmann::ordered_json entry{{"kind", finding.choice.kind}, {"works", finding.works()}};
    if (finding.works()) {
      entry["version"] = finding.identity.version;
      entry["library"] = sanitized(finding.identity.library.string(), 4096);
      entry["found"] = sanitized(finding.found, 300);
      entry["sha256"] = finding.identity.sha256;
      entry["formats"] = formats_of(finding);
      entry["abilities"] = finding.identity.abilities;
      entry["capabilities"] = capabilities_of(finding);
      entry["note"] = engine::untried_note(finding.identity);
    } else {
      entry["problem"] = finding.problem;
    }
    engines.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"engines", std::move(engines)}}.dump(2);
}

/// Writes an examination of this machine that involves no engine.
Result<Outcome> write_look(const DoctorArgs& args, const std::string& text, const std::string& json,
                           Terminal& terminal) {
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << text;
  if (args.json.wanted) EP_CHECK(write_result(args.json, json, terminal.out));
  return Outcome::kDone;
}

/// kUsage for flags of another examination.
Status check_doctor(const DoctorArgs& args) {
  const std::string look = args.meters ? "--meters" : args.processors ? "--processors" : "";
  if (args.meters && args.processors)
    return Error{ErrorKind::kUsage, "--meters and --processors are two looks; take one at a time"};
  if (!look.empty() && !args.engines.empty())
    return Error{ErrorKind::kUsage, look + " looks at this machine, not at engines; leave '" +
                                        sanitized(args.engines.front(), 60) + "' out"};
  if (!args.processors && (!args.cpus.empty() || args.threads != 0))
    return Error{ErrorKind::kUsage, std::string(args.cpus.empty() ? "--threads" : "--cpus") +
                                        " belongs to --processors; add it"};
  return {};
}

Result<Outcome> run_processors(const DoctorArgs& args, Terminal& terminal) {
  processors::Choice choice;
  choice.threads = args.threads;
  auto cpus = cpus_from_text(args.cpus);
  if (!cpus) return std::move(cpus.error()).during("--cpus");
  const std::set<int> ordered(cpus->begin(), cpus->end());
  choice.cpus.assign(ordered.begin(), ordered.end());
  const auto found = processors::examine(processors::this_host(), choice);
  if (!found) return Error(found.error()).during("--cpus");
  return write_look(args, processors_text(*found), processors_json(*found), terminal);
}

}  // namespace

/// Opens each engine in its own process and writes its identity. kDone if at least one engine
/// works, else kNotFound; an engine that is merely not installed is not an error. Examinations of
/// the machine always return kDone.
Result<Outcome> run(const DoctorArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}, {"--cpus", args.cpus}}, {}));
  EP_CHECK(check_doctor(args));
  if (args.processors) return run_processors(args, terminal);
  if (args.meters) {
    auto groups = meter::read_all({}, "self", std::chrono::milliseconds(200));
    groups.push_back({"sensors", iio_readings("local:")});
    return write_look(args, meters_text(groups), meters_json(groups), terminal);
  }
  std::vector<engine::EngineChoice> choices;
  std::vector<std::string> named = args.engines;
  if (named.empty())
    for (const engine::EngineKind& kind : engine::engine_kinds())
      if (!kind.planned && !kind.plugged) named.emplace_back(kind.name);
  for (const std::string& text : named) {
    EP_TRY(auto choice, engine::engine_choice_from_text(text));
    choices.push_back(std::move(choice));
  }
  std::vector<EngineFinding> findings;
  for (engine::EngineChoice& choice : choices) findings.push_back(examine(std::move(choice)));
  const bool to_stdout = args.json.wanted && args.json.file.empty();
  if (!to_stdout) terminal.out << engines_text(findings);
  if (args.json.wanted) EP_CHECK(write_result(args.json, engines_json(findings), terminal.out));
  for (const EngineFinding& finding : findings)
    if (finding.works()) return Outcome::kDone;
  return Error{
      ErrorKind::kNotFound,
      "no engine can be used; run 'edgeprobe fetch litert', or script/setup in a checkout"};
}

Work declare_doctor(Parser& parser) {
  auto args = std::make_shared<DoctorArgs>();
  parser.option("engines", args->engines,
                "Engines to examine, e.g. tflite:/path/lib.so (default: every kind)");
  parser.flag("--meters", args->meters,
              "Show memory, CPU time, load, frequency, temperature and power of this machine, or "
              "the reason why they cannot be read");
  parser.flag("--processors", args->processors,
              "Show CPUs, GPUs and DSPs of this machine, obstacles for models and measurements, "
              "and commands that help; run it before 'stretch search'");
  parser
      .option("--cpus", args->cpus,
              "With --processors: the CPUs for an engine, e.g. 4-7 (default: all)")
      .type("LIST");
  parser.option("--threads", args->threads, "With --processors: the number of an engine's threads")
      .range(1, 4096);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
