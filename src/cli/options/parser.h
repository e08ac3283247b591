// SPDX-License-Identifier: Apache-2.0
// The command line as declared by verbs. Only parser.cc and described.cc include the library that
// parses it, whose header takes seconds to compile.
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

/// An option, a flag or a positional argument of a verb. Each call sets one more property.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required();
  /// The heading in --help; "": none.
  Argument group(const std::string& heading);
  /// Placeholder for its value in --help.
  Argument type(const std::string& word);
  /// --help shows the variable's current value as the default, or this text.
  Argument shows_default();
  Argument shows_default(const std::string& text);

  template <class Number>
  Argument range(Number least, Number most);  ///< Limits the value of an int or a std::size_t.
  Argument positive();
  Argument one_of(const std::vector<std::string>& words);
  /// `wrong`: returns what is wrong with a value, or "".
  Argument check(std::function<std::string(const std::string& text)> wrong);

  /// May occur several times, with one value each.
  Argument repeatable();
  /// Collects the values of all occurrences.
  Argument take_all();
  /// Number of values per occurrence.
  Argument values(int least, int most);
  /// One word contains all values.
  Argument separated_by(char separator);
  Argument one_word();
  /// Its value may be omitted; `word` describes that in --help.
  Argument optional_value(const std::string& word);

  Argument needs(const Argument& other);
  Argument excludes(const Argument& other);

 private:
  CLI::Option* option_;
};

/// Declares the arguments of one verb. A name without dashes is a positional argument.
class Parser {
 public:
  explicit Parser(CLI::App* app) : app_(app) {}

  /// Text, a number, an optional or a list of these (instantiated in parser.cc).
  template <class Value>
  Argument option(const std::string& names, Value& value, const std::string& help);
  Argument option(const std::string& names, std::function<void(const std::string& text)> take,
                  const std::string& help);
  Argument flag(const std::string& names, bool& value, const std::string& help);
  /// Removes an argument added by a group of flags.
  void remove(const std::string& name);

 private:
  CLI::App* app_;
};

/// Runs a verb with parsed arguments.
using Work = std::function<Result<Outcome>(Terminal&)>;

/// A verb of the program, or a group of verbs.
struct Verb {
  const char* name;     ///< "check", "trace info": the latter is a verb of a group.
  const char* help;     ///< One line.
  const char* example;  ///< Command lines that work in a checkout; cli_help_test runs them.
  /// Declares the arguments and returns the work to do with them; null for a group.
  Work (*declare)(Parser& parser);
  /// "--data --labels": the flags that most users need, in the order of --help, which leaves the
  /// others to --help-all. Null: --help shows all.
  const char* common = nullptr;
};

/// The work of a verb: calls run() with the arguments, which the parser has filled in before.
template <class Args>
Work work_of(std::shared_ptr<Args> args) {
  return [args = std::move(args)](Terminal& terminal) { return run(*args, terminal); };
}

struct Program {
  const char* help;
  const char* version;
  const char* notes;  ///< Text below the verbs in --help.
  std::span<const Verb> verbs;
  /// The text of --help, or of --help-all with `all`; for the whole program if `verb` is null.
  std::string (*help_of)(const Program& program, const Verb* verb, bool all);
};

/// Parses a command line and runs its verb. --help and --version print to terminal.out. A command
/// line without a verb also prints the help there, but fails with kUsage: exit code 0 would mean
/// that something agrees.
Result<Outcome> run_program(const Program& program, int argc, char** argv, Terminal& terminal);

}  // namespace edgeprobe::cli
