// Only the parse*.cc files know CLI11.
#include "cli/parse.h"

#include <algorithm>
#include <string>

#include "cli/parse_verbs.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

/// What to say about the first word that should name a verb and does not; nothing when all of them do.
std::string unknown_verb(CLI::App* app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto verbs = app->get_subcommands([](CLI::App* sub) { return !sub->get_name().empty(); });
    // 'bench' takes a verb of its own or a model.
    if (verbs.empty() || word.empty() || word[0] == '-' || app->get_require_subcommand_min() == 0) return "";
    const auto at = std::find_if(verbs.begin(), verbs.end(), [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (at == verbs.end()) {
      std::string names;
      for (const CLI::App* sub : verbs) names += (names.empty() ? "" : ", ") + sub->get_name();
      return "'" + printable(word, 60) + "' is no verb" + (app->get_parent() ? " of '" + app->get_name() + "'" : std::string()) +
             "; expected one of: " + names;
    }
    app = *at;
  }
  return "";
}

}  // namespace

Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal) {
  CLI::App app{"edgeprobe shows what a model really does on the device it was deployed to, and why it differs."};
  app.name("edgeprobe");
  app.set_version_flag("--version", std::string("edgeprobe ") + EDGEPROBE_VERSION);
  app.require_subcommand(1);
  app.footer("\nExit codes: 0 agrees or done, 1 failed, 2 usage, 3 differs, 4 undecided, 130 interrupted.\n"
             "Example:\n  edgeprobe check --help");
  Work chosen;
  add_run(app, chosen);
  add_replay(app, chosen);
  add_compare(app, chosen);
  add_diagnose(app, chosen);
  add_check(app, chosen);
  add_report(app, chosen);
  add_matrix(app, chosen);
  add_inspect(app, chosen);
  add_recipe(app, chosen);
  add_trace(app, chosen);
  add_doctor(app, chosen);
  add_bench(app, chosen);
  add_convert(app, chosen);
  add_instrument(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted, terminal.out, terminal.err);
    return Outcome::kDone;
  } catch (const CLI::ParseError& wrong) {
    const std::string unknown = unknown_verb(&app, argc, argv);
    return Error{Fault::kUsage, (unknown.empty() ? std::string(wrong.what()) : unknown) + "\nRun 'edgeprobe --help', or 'edgeprobe VERB --help'."};
  }
  return chosen(terminal);
}

}  // namespace edgeprobe::cli
