// SPDX-License-Identifier: Apache-2.0
// The command line as verbs declare it. Only parser.cc and described.cc know the library
// that reads it, whose header takes seconds to compile.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace edgeprobe::cli {

/// An option, a flag or a positional argument of a verb. Each call says one more thing of it.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required();
  /// The heading in --help; "": none.
  Argument group(const std::string& heading);
  /// The word for its value in --help.
  Argument type(const std::string& word);
  /// --help shows the variable's present value as the default, or this text.
  Argument shows_default();
  Argument shows_default(const std::string& text);

  template <class Number>
  Argument range(Number least, Number most);  ///< Of int or std::size_t.
  Argument positive();
  Argument one_of(const std::vector<std::string>& words);
  /// `wrong`: what is wrong with a value; empty when nothing is.
  Argument check(std::function<std::string(const std::string& text)> wrong);

  /// One value each time that it is given.
  Argument repeatable();
  /// All values of all times.
  Argument take_all();
  /// So many values at once.
  Argument values(int least, int most);
  /// One word holds all values.
  Argument separated_by(char separator);
  Argument one_word();
  /// It may stand without its value; `word` says so in --help.
  Argument optional_value(const std::string& word);

  Argument needs(const Argument& other);
  Argument excludes(const Argument& other);

 private:
  CLI::Option* option_;
};

/// Takes the arguments of one verb. A name without dashes is a positional argument.
class Parser {
 public:
  explicit Parser(CLI::App* app) : app_(app) {}

  /// Text, a number, an optional or a list of these (the instances in parser.cc).
  template <class Value>
  Argument option(const std::string& names, Value& value, const std::string& help);
  Argument option(const std::string& names, std::function<void(const std::string& text)> take,
                  const std::string& help);
  Argument flag(const std::string& names, bool& value, const std::string& help);
  /// Takes back what a group of flags has added.
  void remove(const std::string& name);

 private:
  CLI::App* app_;
};

/// Runs a verb by arguments that were parsed.
using Work = std::function<Result<Outcome>(Terminal&)>;

/// A verb of the program, or a group of verbs.
struct Verb {
  const char* name;     ///< "check", "trace info": a verb of a group stands below it.
  const char* help;     ///< A line.
  const char* example;  ///< Command lines that run in a checkout; cli_help_test runs them.
  /// Declares the arguments and gives what is done with them; null of a group.
  Work (*declare)(Parser& parser);
  /// "--data --labels": the flags that most users need, in the order of --help, which leaves the
  /// others to --help-all. Null: it shows all.
  const char* common = nullptr;
};

/// A verb's work: run() of its arguments, which are filled by then.
template <class Args>
Work work_of(std::shared_ptr<Args> args) {
  return [args = std::move(args)](Terminal& terminal) { return run(*args, terminal); };
}

struct Program {
  const char* help;
  const char* version;
  const char* notes;  ///< What stands below the verbs in --help.
  std::span<const Verb> verbs;
  /// The text of --help, of --help-all with `all`; of the whole program where `verb` is null.
  std::string (*help_of)(const Program& program, const Verb* verb, bool all);
};

/// Parses a command line and runs its verb. --help and --version print to terminal.out. So does a
/// command line without a verb, with kUsage: exit code 0 would say that something agrees.
Result<Outcome> run_program(const Program& program, int argc, char** argv, Terminal& terminal);

}  // namespace edgeprobe::cli
