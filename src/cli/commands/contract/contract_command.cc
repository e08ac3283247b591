// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/contract/contract_command.h"

#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands/contract/follow.h"
#include "cli/commands/contract/subject.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "contract/check.h"
#include "contract/contract.h"
#include "contract/file.h"
#include "contract/learn.h"
#include "contract/positions.h"
#include "contract/summary.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "report/json/contract.h"
#include "report/rulings/of_contract.h"
#include "report/text/contract.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe contract learn TRACE -o contract.json`: records the behaviour of a
/// deployment as a contract.
struct ContractLearnArgs {
  SubjectFlags subject;
  std::string out = "contract.json";
  bool force = false;
  bool speed = false;
  JsonFlag json;  ///< The learned contract's check of the trace itself.
};

namespace {

constexpr const char* kTool = "edgeprobe " EDGEPROBE_VERSION;

std::vector<std::string> inputs_of(const SubjectFlags& flags) {
  return joined(files_of(flags.pipeline), files_of(flags.data),
                std::vector{flags.what, flags.reference});
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Outcome outcome_of(const contract::Report& report) {
  switch (report.state()) {
    case contract::State::kPasses: return Outcome::kDone;
    case contract::State::kFails: return Outcome::kDiffers;
    case contract::State::kCannotTell:
    case contract::State::kNotYet: break;
  }
  return Outcome::kUndecided;
}

/// Each assertion with its line in the contract.
Result<report::Rulings> rulings_of(const contract::Report& report, const std::string& contract,
                                   const std::string& subject) {
  EP_TRY(const auto bytes, read_file(contract, contract::kMostBytes));
  const auto lines = contract::lines_of(ByteView(bytes).text());
  const std::string file = placed(contract);
  return report::rulings_of(report, file_name(contract), subject, [&](const std::string& id) {
    return report::Place{file, contract::line_of(lines, id)};
  });
}

Status check_new_file(const ContractLearnArgs& args) {
  EP_CHECK(check_texts({{"--json", args.json.file}},
                       joined(inputs_of(args.subject), std::vector{args.out})));
  if (args.out.empty()) return Error{ErrorKind::kUsage, "-o '': expected the name of a file"};
  EP_CHECK(check_outputs({{"-o", args.out}}, inputs_of(args.subject)));
  if (auto good = check_writable(args.out); !good) return std::move(good.error()).during("-o");
  std::error_code failure;
  if (!args.force && std::filesystem::is_regular_file(args.out, failure))
    return Error{
        ErrorKind::kUsage,
        "'" + sanitized(args.out, 400) +
            "' exists; 'edgeprobe contract update' changes a contract, --force replaces it"};
  return check_forced({"-o", args.out});
}

}  // namespace

Result<Outcome> run(const ContractLearnArgs& args, Terminal& terminal) {
  EP_CHECK(check_new_file(args));
  EP_TRY(auto open, open_subject(args.subject, terminal));
  EP_TRY(const auto recipe, recipe_of(args.subject, *open));
  EP_TRY(const auto states, states_from(args.subject.pipeline));
  EP_TRY(auto evidence,
         contract::measure(open->subject, recipe, states, false, terminal.control()));
  if (open->metric && !contract::metric_of(evidence))
    return Error{ErrorKind::kUsage, "the metric " + in_quotes(open->metric->name(), 60) +
                                        " is not defined over these frames, so a contract cannot "
                                        "hold it"};
  const contract::Contract learned = contract::learn(evidence, recipe, kTool, args.speed);
  // A fault must not become part of the contract.
  contract::Report report = contract::check(learned, evidence);
  name_files(report, recipe, args.subject.what);
  const auto weak = contract::weaknesses(learned, evidence);
  if (args.json.wanted) {
    const std::string json = report::contract_learn_json(report, weak, file_name(args.out),
                                                         file_name(args.subject.what));
    EP_CHECK(write_result(args.json, json, terminal.out));
  }
  const bool tells = !args.json.wanted || !args.json.file.empty();
  if (report.state() == contract::State::kFails) {
    if (tells) terminal.out << report::contract_text(report, file_name(args.subject.what));
    terminal.err << "no contract was written: this trace breaks what it would promise\n";
    return Outcome::kDiffers;
  }
  EP_CHECK(write_file(args.out, view_of(contract::to_json(learned))));
  if (tells)
    terminal.out << sanitized(args.out, 400) << ": " << report.findings.size()
                 << " assertions, learned from " << evidence.figures.records.size() << " frames\n";
  for (const std::string& text : weak) terminal.err << "warning: " << text << "\n";
  for (const contract::Finding& one : report.findings)
    if (one.state == contract::State::kCannotTell)
      terminal.err << "warning: " << sanitized(one.id, 200)
                   << " cannot be determined from such a trace: " << sanitized(one.why, 400)
                   << "\n";
  return Outcome::kDone;
}

Result<Outcome> run(const ContractCheckArgs& args, Terminal& terminal) {
  const auto inputs = joined(inputs_of(args.subject), std::vector{args.contract});
  EP_CHECK(check_texts(with_rulings({{"--json", args.json.file}}, args.rulings), inputs));
  EP_TRY(auto wanted, read_contract(args.contract));
  EP_CHECK(check_follow(args.follow, args.subject));
  if (args.mutate) return run_mutate(args, wanted, terminal);
  SubjectFlags flags = args.subject;
  std::optional<Followed> followed;
  if (args.follow.on) {
    EP_TRY(auto came, follow(args.follow, flags, terminal));
    followed.emplace(std::move(came));
    flags.what = followed->trace.string();
    flags.data.frames.clear();
  }
  EP_TRY(auto open, open_subject(flags, terminal));
  open->subject.goes_on = followed && followed->goes_on;
  EP_TRY(auto evidence, contract::measure(open->subject, wanted.recipe, contract::states_of(wanted),
                                          contract::needs_layers(wanted), terminal.control()));
  contract::Report report = contract::check(wanted, evidence);
  EP_TRY(auto own, python_findings(flags, wanted, args.contract, open->trace->path(), terminal));
  for (contract::Finding& one : own) report.findings.push_back(std::move(one));
  name_files(report, wanted.recipe, args.subject.what);
  const std::string title = file_name(args.contract), subject = file_name(args.subject.what);
  if (args.rulings.wanted()) {
    EP_TRY(const auto rulings, rulings_of(report, args.contract, subject));
    EP_CHECK(write_rulings(args.rulings, rulings));
  }
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, report::contract_json(report, title, subject), terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << report::contract_text(report, title);
  return outcome_of(report);
}

Work declare_contract_learn(Parser& parser) {
  auto args = std::make_shared<ContractLearnArgs>();
  add_subject(parser, args->subject);
  parser.option("-o,--out", args->out, "The contract to write").shows_default();
  parser.flag("--speed", args->speed,
              "Include latency and memory; for a machine that runs nothing else during the check");
  parser.flag("--force", args->force, "Replace an existing contract");
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_contract_check(Parser& parser) {
  auto args = std::make_shared<ContractCheckArgs>();
  add_subject(parser, args->subject);
  parser.option("--contract", args->contract, "The contract").shows_default().type("FILE");
  add_rulings(parser, args->rulings);
  const Argument mutate =
      parser.flag("--mutate", args->mutate,
                  "Run the model with each fault of a catalogue planted in its recipe (11 samples "
                  "unless --frames), and show which faults this contract misses");
  const Argument follow = parser
                              .flag("--follow", args->follow.on,
                                    "Judge the first frames (8 unless --frames) of a running app "
                                    "as soon as its probe has written them")
                              .excludes(mutate);
  parser
      .option(
          "--timeout", args->follow.timeout_s,
          "Seconds that --follow waits for these frames; then it judges those that have arrived")
      .shows_default()
      .needs(follow);
  parser.option("command", args->follow.command,
                "After --follow -- : the app to start for the check and stop afterwards");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
