// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/scripts.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe completion SHELL`: a script of this program's verbs and flags.
struct CompletionArgs {
  std::string shell;
};

/// Arguments of `edgeprobe man`: the manual page.
struct ManArgs {};

Result<Outcome> run(const CompletionArgs& args, Terminal& terminal) {
  auto all = described(verbs());
  // Not declared by the verbs, but accepted by each of them.
  for (DescribedVerb& verb : all) {
    DescribedArgument& more = verb.arguments.emplace_back();
    more.names = {"--help-all"};
    more.help = "Print all options and exit";
  }
  terminal.out << (args.shell == "bash"  ? bash_completion(all)
                   : args.shell == "zsh" ? zsh_completion(all)
                                         : fish_completion(all));
  return Outcome::kDone;
}

Result<Outcome> run(const ManArgs&, Terminal& terminal) {
  terminal.out << manual_page(program(), described(verbs()));
  return Outcome::kDone;
}

Work declare_completion(Parser& parser) {
  auto args = std::make_shared<CompletionArgs>();
  parser.option("shell", args->shell, "bash | zsh | fish")
      .required()
      .one_of({"bash", "zsh", "fish"});
  return work_of(args);
}

Work declare_man(Parser&) { return work_of(std::make_shared<ManArgs>()); }

}  // namespace edgeprobe::cli
