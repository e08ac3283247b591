// SPDX-License-Identifier: Apache-2.0
// Only the parse*.cc files know CLI11.
#include "cli/options/parse.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/options/parse_contract.h"
#include "cli/options/parse_measurements.h"
#include "cli/options/parse_verbs.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

// 'bench' takes a verb of its own or a model.
std::vector<CLI::App*> verbs_of(CLI::App* app) {
  if (app->get_require_subcommand_min() == 0) return {};
  return app->get_subcommands([](CLI::App* sub) { return !sub->get_name().empty(); });
}

std::string suggested(const std::string& near) {
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

/// What to say about the first option that the verb does not have; nothing when it has all of them.
std::string unknown_option(CLI::App* app, int first, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (int i = first; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string given = argv[i], word = given.substr(0, given.find('='));
    if (word.rfind("--", 0) != 0 || std::find(names.begin(), names.end(), word) != names.end())
      continue;
    return "'" + sanitized(word, 60) + "' is no option of '" + app->get_name() + "'" +
           suggested(closest_match(word, names));
  }
  return "";
}

/// What to say about the first word that should name a verb, or an option of it, and does not;
/// nothing when all of them do.
std::string unknown_word(CLI::App* app, int argc, char** argv) {
  int i = 1;
  for (auto verbs = verbs_of(app); i < argc && !verbs.empty(); ++i, verbs = verbs_of(app)) {
    const std::string word = argv[i];
    if (word.empty() || word[0] == '-') break;
    const auto at = std::find_if(verbs.begin(), verbs.end(),
                                 [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (at == verbs.end()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : verbs) names.push_back(sub->get_name());
      const std::string near = closest_match(word, names);
      std::string listed;
      for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
      return "'" + sanitized(word, 60) + "' is no verb" +
             (app->get_parent() ? " of '" + app->get_name() + "'" : std::string()) +
             suggested(near) + (near.empty() ? ";" : "") + " expected one of: " + listed;
    }
    app = *at;
  }
  return unknown_option(app, i, argc, argv);
}

}  // namespace

Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal) {
  CLI::App app{
      "edgeprobe shows what a model really does on the device it was deployed to, and why it "
      "differs."};
  app.name("edgeprobe");
  app.set_version_flag("--version", std::string("edgeprobe ") + EDGEPROBE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\nExit codes: 0 agrees or done, 1 failed, 2 usage, 3 differs, 4 undecided, 130 "
      "interrupted.\n"
      "Example:\n  edgeprobe check --help");
  Work chosen;
  add_run(app, chosen);
  add_replay(app, chosen);
  add_compare(app, chosen);
  add_diagnose(app, chosen);
  add_check(app, chosen);
  add_contract(app, chosen);
  add_report(app, chosen);
  add_measurements(app, chosen);
  add_matrix(app, chosen);
  add_predict(app, chosen);
  add_bisect(app, chosen);
  add_evidence(app, chosen);
  add_inspect(app, chosen);
  add_recipe(app, chosen);
  add_trace(app, chosen);
  add_doctor(app, chosen);
  add_bench(app, chosen);
  add_serve(app, chosen);
  add_scenario(app, chosen);
  add_stretch(app, chosen);
  add_convert(app, chosen);
  add_instrument(app, chosen);
  add_fetch(app, chosen);
  add_demo(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted, terminal.out, terminal.err);
    return Outcome::kDone;
  } catch (const CLI::ParseError& wrong) {
    const std::string unknown = unknown_word(&app, argc, argv);
    return Error{ErrorKind::kUsage, (unknown.empty() ? std::string(wrong.what()) : unknown) +
                                        "\nRun 'edgeprobe --help', or 'edgeprobe VERB --help'."};
  }
  return chosen(terminal);
}

}  // namespace edgeprobe::cli
