// Only the parse*.cc files know CLI11.
#include "cli/parse.h"

#include <string>

#include "cli/parse_verbs.h"

namespace edgeprobe::cli {

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
  add_inspect(app, chosen);
  add_recipe(app, chosen);
  add_trace(app, chosen);
  add_doctor(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted, terminal.out, terminal.err);
    return Outcome::kDone;
  } catch (const CLI::ParseError& wrong) {
    return Error{Fault::kUsage, std::string(wrong.what()) + "\nRun 'edgeprobe --help', or 'edgeprobe VERB --help'."};
  }
  return chosen(terminal);
}

}  // namespace edgeprobe::cli
