// SPDX-License-Identifier: Apache-2.0
#include "cli/options/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/text.h"

namespace edgeprobe::cli {

Argument Argument::required() { return Argument(option_->required()); }

Argument Argument::group(const std::string& heading) { return Argument(option_->group(heading)); }

Argument Argument::type(const std::string& word) { return Argument(option_->type_name(word)); }

Argument Argument::shows_default() { return Argument(option_->capture_default_str()); }

Argument Argument::shows_default(const std::string& text) {
  return Argument(option_->default_str(text));
}

template <class Number>
Argument Argument::range(Number least, Number most) {
  return Argument(option_->check(CLI::Range(least, most)));
}
template Argument Argument::range(int, int);
template Argument Argument::range(std::size_t, std::size_t);

Argument Argument::positive() { return Argument(option_->check(CLI::PositiveNumber)); }

Argument Argument::one_of(const std::vector<std::string>& words) {
  return Argument(option_->check(CLI::IsMember(words)));
}

Argument Argument::check(std::function<std::string(const std::string&)> wrong) {
  return Argument(option_->check(CLI::Validator(
      [wrong = std::move(wrong)](const std::string& text) { return wrong(text); }, "")));
}

Argument Argument::repeatable() {
  return Argument(option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

Argument Argument::take_all() { return Argument(option_->take_all()); }

Argument Argument::values(int least, int most) { return Argument(option_->expected(least, most)); }

Argument Argument::separated_by(char separator) { return Argument(option_->delimiter(separator)); }

Argument Argument::one_word() { return Argument(option_->allow_extra_args(false)); }

Argument Argument::optional_value(const std::string& word) {
  return Argument(option_->expected(0, 1)->type_name(word)->default_str("")->trigger_on_parse());
}

Argument Argument::needs(const Argument& other) { return Argument(option_->needs(other.option_)); }

Argument Argument::excludes(const Argument& other) {
  return Argument(option_->excludes(other.option_));
}

template <class Value>
Argument Parser::option(const std::string& names, Value& value, const std::string& help) {
  return Argument(app_->add_option(names, value, help));
}
// std::size_t is one of these types.
template Argument Parser::option(const std::string&, std::string&, const std::string&);
template Argument Parser::option(const std::string&, int&, const std::string&);
template Argument Parser::option(const std::string&, double&, const std::string&);
template Argument Parser::option(const std::string&, std::uint32_t&, const std::string&);
template Argument Parser::option(const std::string&, std::uint64_t&, const std::string&);
template Argument Parser::option(const std::string&, std::optional<std::string>&,
                                 const std::string&);
template Argument Parser::option(const std::string&, std::optional<int>&, const std::string&);
template Argument Parser::option(const std::string&, std::optional<double>&, const std::string&);
template Argument Parser::option(const std::string&, std::optional<std::uint32_t>&,
                                 const std::string&);
template Argument Parser::option(const std::string&, std::optional<std::uint64_t>&,
                                 const std::string&);
template Argument Parser::option(const std::string&, std::vector<std::string>&, const std::string&);
template Argument Parser::option(const std::string&, std::vector<double>&, const std::string&);

Argument Parser::option(const std::string& names, std::function<void(const std::string&)> take,
                        const std::string& help) {
  return Argument(app_->add_option_function<std::string>(names, take, help));
}

Argument Parser::flag(const std::string& names, bool& value, const std::string& help) {
  return Argument(app_->add_flag(names, value, help));
}

void Parser::remove(const std::string& name) { app_->remove_option(app_->get_option(name)); }

namespace {

// 'bench' takes either a verb of its own or a model.
std::vector<CLI::App*> verbs_of(CLI::App* app) {
  if (app->get_require_subcommand_min() == 0) return {};
  return app->get_subcommands([](CLI::App* sub) { return !sub->get_name().empty(); });
}

std::string suggested(const std::string& near) {
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

/// Error message for the first option that the verb lacks; empty if there is none.
std::string unknown_option(CLI::App* app, std::size_t first,
                           const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (std::size_t i = first; i < given.size() && given[i] != "--"; ++i) {
    const std::string word = given[i].substr(0, given[i].find('='));
    if (word.rfind("--", 0) != 0 || std::find(names.begin(), names.end(), word) != names.end())
      continue;
    return "'" + sanitized(word, 60) + "' is not an option of '" + app->get_name() + "'" +
           suggested(closest_match(word, names));
  }
  return "";
}

/// Error message for the first word that should name a verb or one of its options but does not;
/// empty if there is none.
std::string unknown_word(CLI::App* app, const std::vector<std::string>& given) {
  std::size_t i = 0;
  for (auto verbs = verbs_of(app); i < given.size() && !verbs.empty(); ++i, verbs = verbs_of(app)) {
    const std::string& word = given[i];
    if (word.empty() || word[0] == '-') break;
    const auto at = std::find_if(verbs.begin(), verbs.end(),
                                 [&](const CLI::App* sub) { return sub->get_name() == word; });
    if (at == verbs.end()) {
      std::vector<std::string> names;
      for (const CLI::App* sub : verbs) names.push_back(sub->get_name());
      const std::string near = closest_match(word, names);
      std::string listed;
      for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
      return "'" + sanitized(word, 60) + "' is not a verb" +
             (app->get_parent() ? " of '" + app->get_name() + "'" : std::string()) +
             suggested(near) + (near.empty() ? ";" : "") + " expected one of: " + listed;
    }
    app = *at;
  }
  return unknown_option(app, i, given);
}

/// Adds a verb below its group. Parsing the verb sets `chosen`.
void add_verb(CLI::App& app, const Verb& verb, Work& chosen) {
  const std::string name = verb.name;
  const std::size_t space = name.find(' ');
  CLI::App* const above =
      space == std::string::npos ? &app : app.get_subcommand(name.substr(0, space));
  CLI::App* const sub = above->add_subcommand(name.substr(space + 1), verb.help);
  if (!verb.declare) {
    sub->require_subcommand(1);
    return;
  }
  Parser parser(sub);
  // If 'bench diff' was parsed, skip 'bench', which also has arguments.
  sub->callback([sub, work = verb.declare(parser), &chosen] {
    if (sub->get_subcommands().empty()) chosen = work;
  });
}

const Verb* find_verb(const Program& program, const std::string& name) {
  for (const Verb& verb : program.verbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

/// The verb that was parsed; null if none.
const Verb* verb_at(const Program& program, const CLI::App* app) {
  std::string name;
  for (auto below = app->get_subcommands(); !below.empty(); below = app->get_subcommands()) {
    app = below.back();
    name += (name.empty() ? "" : " ") + app->get_name();
  }
  return find_verb(program, name);
}

/// Maps other common ways to request help and the version to flags.
std::vector<std::string> usual_words(const Program& program, std::vector<std::string> words) {
  if (words.empty()) return words;
  if (words.front() == "help") {
    const auto begins_verb = [&](const Verb& verb) {
      return std::string_view(verb.name).starts_with(words[1]) &&
             (std::strlen(verb.name) == words[1].size() || verb.name[words[1].size()] == ' ');
    };
    // Other names are for the verb 'help' itself.
    if (words.size() > 1 && std::none_of(program.verbs.begin(), program.verbs.end(), begins_verb))
      return words;
    words.erase(words.begin());
    words.emplace_back("--help");
  } else if (words.back() == "help") {
    // "help" counts only after a complete verb: elsewhere it may be the value of a flag or a file
    // name.
    const std::vector<std::string> verb(words.begin(), words.end() - 1);
    if (find_verb(program, edgeprobe::joined(verb, " "))) words.back() = "--help";
  }
  // Edge AI tester's scenario 'onnx_conversion' keeps its name.
  std::string hyphenated = words.front();
  std::replace(hyphenated.begin(), hyphenated.end(), '_', '-');
  if (find_verb(program, hyphenated)) words.front() = hyphenated;
  if (words.front() == "version" || words.front() == "-V") words.front() = "--version";
  return words;
}

}  // namespace

Result<Outcome> run_program(const Program& program, int argc, char** argv, Terminal& terminal) {
  std::vector<std::string> words = usual_words(program, {argv + std::min(argc, 1), argv + argc});
  const Verb* const only = find_verb(program, edgeprobe::joined(words, " "));
  if (words.empty() || (only && !only->declare)) {
    terminal.out << program.help_of(program, only, false);
    return Error{ErrorKind::kUsage, ""};
  }
  CLI::App app;
  app.name("edgeprobe");
  app.set_version_flag("--version", std::string("edgeprobe ") + program.version);
  app.set_help_all_flag("--help-all", "Print all options and exit");
  app.require_subcommand(1);
  Work chosen;
  for (const Verb& verb : program.verbs) add_verb(app, verb, chosen);
  const auto refused = [](const std::string& what) {
    return Error{ErrorKind::kUsage, what + "\nRun 'edgeprobe --help', or 'edgeprobe VERB --help'."};
  };
  const auto help = [&](bool all) -> Result<Outcome> {
    const Verb* const verb = verb_at(program, &app);
    // 'edgeprobe chek --help' names no existing verb.
    if (const std::string unknown = unknown_word(&app, words);
        (!verb || !verb->declare) && !unknown.empty())
      return refused(unknown);
    terminal.out << program.help_of(program, verb, all);
    return Outcome::kDone;
  };
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return help(false);
  } catch (const CLI::CallForAllHelp&) {
    return help(true);
  } catch (const CLI::CallForVersion& version) {
    terminal.out << version.what() << "\n";
    return Outcome::kDone;
  } catch (const CLI::ParseError& wrong) {
    const std::string unknown = unknown_word(&app, words);
    return refused(unknown.empty() ? std::string(wrong.what()) : unknown);
  }
  return chosen(terminal);
}

}  // namespace edgeprobe::cli
