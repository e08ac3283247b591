// SPDX-License-Identifier: Apache-2.0
#include "contract/update.h"

#include "cli/commands/contract/contract_command.h"
#include "cli/commands/contract/subject.h"
#include "cli/overwrite.h"
#include "contract/check.h"
#include "contract/file.h"
#include "contract/learn.h"
#include "core/file.h"
#include "core/text.h"
#include "core/write_file.h"
#include "report/text/contract.h"

namespace edgeprobe::cli {

Result<Outcome> run(const ContractUpdateArgs& args, Terminal& terminal) {
  const SubjectFlags& flags = args.subject;
  const auto inputs = joined(files_of(flags.pipeline), files_of(flags.data),
                             std::vector{flags.what, flags.reference});
  if (auto good = check_outputs({{"--contract", args.contract}}, inputs); !good)
    return std::move(good.error());
  if (auto good = check_writable(args.contract); !good)
    return std::move(good.error()).during("--contract");
  auto old = read_contract(args.contract);
  if (!old) return std::move(old.error());
  auto open = open_subject(flags, terminal);
  if (!open) return std::move(open.error());
  auto recipe = recipe_of(flags, **open);
  if (!recipe) return std::move(recipe.error());
  // A contract without a recipe gets none; an app that states none is held to the contract's.
  if (recipe->empty() || old->recipe.empty()) *recipe = old->recipe;
  auto evidence = contract::measure((*open)->subject, *recipe, contract::states_of(*old),
                                    contract::needs_layers(*old), terminal.control());
  if (!evidence) return std::move(evidence.error());
  const contract::Contract learned =
      contract::learn(*evidence, *recipe, "edgeprobe " EDGEPROBE_VERSION);
  // A fault must not become a promise.
  if (const auto own = contract::check(learned, *evidence);
      own.state() == contract::State::kFails) {
    terminal.out << report::contract_text(own, "the trace itself");
    terminal.err << "the contract is as it was: this trace breaks what it would promise\n";
    return Outcome::kDiffers;
  }
  contract::Contract now = contract::updated(*old, learned, contract::check(*old, *evidence));
  const auto changes = contract::changes(*old, now);
  if (changes.empty()) {
    terminal.out << sanitized(args.contract, 400) << ": nothing to change\n";
  } else {
    if (auto done = write_file(args.contract, view_of(contract::to_json(now))); !done)
      return std::move(done.error());
    for (const contract::Change& change : changes)
      terminal.out << sanitized(change.place, 200) << ": "
                   << (change.before.empty() ? "nothing" : sanitized(change.before, 300)) << " → "
                   << (change.after.empty() ? "nothing" : sanitized(change.after, 300)) << "\n";
    terminal.out << sanitized(args.contract, 400) << ": " << changes.size()
                 << (changes.size() == 1 ? " change" : " changes")
                 << "; each lets through what failed before: look at the diff\n";
  }
  const contract::Report left = contract::check(now, *evidence);
  if (left.state() != contract::State::kFails) return Outcome::kDone;
  terminal.out << report::contract_text(left, "what still fails is yours to change");
  return Outcome::kDiffers;
}

}  // namespace edgeprobe::cli
