// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/scenario/run_scenario.h"
#include "cli/options/json_flag.h"
#include "cli/options/trust.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/command_line.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "scenario/kenning/translate.h"
#include "scenario/scenario.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe scenario from-command '…'`: translates a Kenning command to our file
/// format.
struct ScenarioFromArgs {
  std::string command;  ///< A command line, or a scenario file of Kenning.
  std::string out;      ///< The file to write; empty: standard output.
  bool force = false;
  bool run = false;    ///< Run the translation.
  bool trust = false;  ///< Load libraries named in a file.
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;
namespace kenning = scenario::kenning;
using nlohmann::ordered_json;

Result<kenning::Translation> translate_file(const std::string& file) {
  EP_TRY(const auto bytes, read_file(file, document::kMostBytes));
  const std::string label = "'" + sanitized(file, 200) + "'";
  const auto document = document::document_from_text(ByteView(bytes).text());
  if (!document) return Error(document.error()).during(label);
  if (document->find("kind"))
    return Error{ErrorKind::kUsage,
                 label + " is a scenario of ours already; 'scenario run' runs it"};
  const auto source = kenning::source_from_document(*document);
  if (!source) return Error(source.error()).during(label);
  auto done = kenning::translate(*source);
  if (!done) return std::move(done.error()).during(label);
  return done;
}

Result<kenning::Translation> translate_command(const std::string& line) {
  if (!is_utf8(line)) return Error{ErrorKind::kUsage, "the command line is not UTF-8 text"};
  EP_TRY(const auto source, kenning::source_from_command(line));
  auto done = kenning::translate(source);
  if (!done || done->file.empty()) return done;
  // --json-cfg: the file contains everything except the settings of the report.
  auto inner = translate_file(done->file);
  if (!inner) return inner;
  for (const scenario::Setting& setting : done->scenario.settings)
    if (std::string_view(setting.key->block) == "report") inner->scenario.set(setting);
  inner->notes.insert(inner->notes.begin(), done->notes.begin(), done->notes.end());
  return inner;
}

std::string as_json(const kenning::Translation& done, const std::string& out) {
  ordered_json json;
  if (done.command.empty())
    json["scenario"] = ordered_json::parse(scenario::to_json(done.scenario));
  else json["command"] = command_line(done.command);
  json["notes"] = ordered_json::array();
  for (const kenning::Note& note : done.notes)
    json["notes"].push_back({{"what", note.what}, {"why", note.why}});
  if (!out.empty()) json["out"] = out;
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// Translates a script that consists of comments and one command.
Result<kenning::Translation> translate_script(const std::string& file) {
  EP_TRY(const auto bytes, read_file(file, document::kMostBytes));
  std::istringstream lines{std::string(ByteView(bytes).text())};
  std::string command;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) command += line + "\n";
  auto done = translate_command(command);
  if (!done) return std::move(done.error()).during("'" + sanitized(file, 200) + "'");
  return done;
}

}  // namespace

namespace {

/// Runs what a command line or a file asks for.
Result<Outcome> perform(const ScenarioFromArgs& args, const kenning::Translation& done,
                        bool is_from_file, Terminal& terminal) {
  if (!done.command.empty()) {
    terminal.err << "$ " << command_line(done.command) << std::endl;
    return terminal.perform(done.command, terminal);
  }
  EP_CHECK(scenario::check_complete(done.scenario));
  // Classes on the command line are the user's own choice.
  const bool trust = args.trust || !is_from_file;
  EP_CHECK(check_code(done.scenario, args.command, trust, false, false));
  const std::string name = scenario::name(done.scenario.kind);
  std::string folder = done.scenario.value("report", "folder");
  if (folder.empty()) folder = name + "-results";
  return run_scenario(
      done.scenario, {args.command, {folder, name, args.force}, false, trust, args.json}, terminal);
}

}  // namespace

Result<Outcome> run(const ScenarioFromArgs& args, Terminal& terminal) {
  std::error_code failure;
  const bool is_file = args.command.find_first_of(" \t\n") == std::string::npos &&
                       fs::is_regular_file(args.command, failure);
  EP_TRY(const auto done, !is_file                        ? translate_command(args.command)
                          : args.command.ends_with(".sh") ? translate_script(args.command)
                                                          : translate_file(args.command));
  const bool is_command = !done.command.empty();
  if (is_command && !args.out.empty())
    return Error{ErrorKind::kUsage, "--out: a report makes no scenario, but a command line: " +
                                        command_line(done.command)};
  const std::string text =
      is_command ? command_line(done.command) + "\n" : scenario::to_yaml(done.scenario);
  if (!args.out.empty()) {
    if (!args.force && fs::exists(fs::symlink_status(args.out, failure)))
      return Error{ErrorKind::kUsage, "'" + sanitized(args.out, 200) +
                                          "' exists; give another --out, or --force to replace it"};
    EP_CHECK(write_file(args.out, view_of(text)));
  }
  for (const kenning::Note& note : done.notes)
    terminal.err << note.what << ": " << sanitized(note.why, 400) << "\n";
  if (args.run) return perform(args, done, is_file || !done.file.empty(), terminal);
  if (args.json.wanted) EP_CHECK(write_result(args.json, as_json(done, args.out), terminal.out));
  if (args.out.empty() && (!args.json.wanted || !args.json.file.empty())) terminal.out << text;
  return Outcome::kDone;
}

Work declare_scenario_from_command(Parser& parser) {
  auto args = std::make_shared<ScenarioFromArgs>();
  parser
      .option("command", args->command,
              "'python -m kenning.scenarios.NAME …', 'kenning VERB …', a .sh with such a line, "
              "or a scenario file")
      .required();
  parser.option("-o,--out", args->out, "The file to write (default: standard output)");
  parser.flag("--run", args->run, "Run it as well, in the current folder");
  add_trust(parser, args->trust, "", "");
  parser.flag("--force", args->force, "Replace an existing file, or the results of an earlier run");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
