// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cli/commands/contract/follow.h"
#include "cli/commands/contract/subject.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "contract/check.h"
#include "contract/contract.h"
#include "contract/file.h"
#include "contract/learn.h"
#include "contract/update.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "report/json/contract.h"
#include "report/text/contract.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe contract update TRACE --contract FILE`: updates assertions that no
/// longer hold, and lists each change.
struct ContractUpdateArgs {
  SubjectFlags subject;
  std::string contract = "contract.json";
  JsonFlag json;  ///< Each change, and the changed contract's check of the trace.
};

namespace {

void print(const std::string& file, const std::vector<contract::Change>& changes,
           std::ostream& out) {
  const std::string name = sanitized(file, 400);
  const auto shown = [](const std::string& value) {
    return value.empty() ? std::string("nothing") : sanitized(value, 300);
  };
  for (const contract::Change& change : changes)
    out << sanitized(change.place, 200) << ": " << shown(change.before) << " → "
        << shown(change.after) << "\n";
  if (changes.empty()) out << name << ": nothing to change\n";
  else
    out << name << ": " << changes.size() << (changes.size() == 1 ? " change" : " changes")
        << "; each accepts what failed before: check the diff\n";
}

}  // namespace

Result<Outcome> run(const ContractUpdateArgs& args, Terminal& terminal) {
  const SubjectFlags& flags = args.subject;
  const auto inputs = joined(files_of(flags.pipeline), files_of(flags.data),
                             std::vector{flags.what, flags.reference});
  EP_CHECK(check_outputs({{"--contract", args.contract}}, inputs));
  EP_CHECK(check_texts({{"--json", args.json.file}}, joined(inputs, std::vector{args.contract})));
  if (auto good = check_writable(args.contract); !good)
    return std::move(good.error()).during("--contract");
  EP_TRY(auto old, read_contract(args.contract));
  EP_TRY(auto open, open_subject(flags, terminal));
  EP_TRY(auto recipe, recipe_of(flags, *open));
  // A contract without a recipe gets none; an app without a recipe is checked with the contract's.
  if (recipe.empty() || old.recipe.empty()) recipe = old.recipe;
  EP_TRY(auto evidence, contract::measure(open->subject, recipe, contract::states_of(old),
                                          contract::needs_layers(old), terminal.control()));
  const bool with_speed = old.latency || old.memory;
  const contract::Contract learned =
      contract::learn(evidence, recipe, "edgeprobe " EDGEPROBE_VERSION, with_speed);
  const bool tells = !args.json.wanted || !args.json.file.empty();
  const auto tell = [&](const contract::Report& report,
                        const std::vector<contract::Change>& changes) -> Status {
    if (!args.json.wanted) return {};
    return write_result(args.json,
                        report::contract_update_json(
                            report, changes, std::filesystem::path(args.contract).filename(),
                            std::filesystem::path(flags.what).filename()),
                        terminal.out);
  };
  // A fault must not become part of the contract.
  if (auto own = contract::check(learned, evidence); own.state() == contract::State::kFails) {
    name_files(own, recipe, flags.what);
    EP_CHECK(tell(own, {}));
    if (tells) terminal.out << report::contract_text(own, "the trace itself");
    terminal.err << "the contract is as it was: this trace breaks what it would promise\n";
    return Outcome::kDiffers;
  }
  contract::Contract now = contract::updated(old, learned, contract::check(old, evidence));
  const auto changes = contract::changes(old, now);
  if (!changes.empty()) EP_CHECK(write_file(args.contract, view_of(contract::to_json(now))));
  if (tells) print(args.contract, changes, terminal.out);
  contract::Report left = contract::check(now, evidence);
  name_files(left, now.recipe, flags.what);
  EP_CHECK(tell(left, changes));
  if (left.state() != contract::State::kFails) return Outcome::kDone;
  if (tells) terminal.out << report::contract_text(left, "what still fails is yours to change");
  return Outcome::kDiffers;
}

Work declare_contract_update(Parser& parser) {
  auto args = std::make_shared<ContractUpdateArgs>();
  add_subject(parser, args->subject);
  parser.option("--contract", args->contract, "The contract to change")
      .shows_default()
      .type("FILE");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
