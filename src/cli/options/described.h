// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/parser.h"

namespace edgeprobe::cli {

/// The kind of an argument's value, for shell completion.
enum class ValueKind { kNone, kWord, kNumber, kFile };

/// An argument as --help shows it, for completions and the manual page.
struct DescribedArgument {
  std::vector<std::string> names;  ///< "-o", "--out"; for a positional argument its name.
  /// Placeholder for its value, such as "FILE"; empty without a value.
  std::string value;
  std::string help;
  std::string standard;              ///< The default shown by --help, or "".
  std::vector<std::string> choices;  ///< Possible values of a kWord.
  ValueKind kind = ValueKind::kNone;
  std::string group;                         ///< Its heading in --help.
  std::vector<std::string> needs, excludes;  ///< Names of other arguments.
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  bool may_lack_value = false;  ///< True for "--json [FILE]".
};

struct DescribedVerb {
  std::string name;  ///< "check", "trace info".
  std::string help;
  std::string example;
  bool is_group = false;  ///< It is a group of verbs; 'bench' is both a group and a verb.
  std::vector<DescribedArgument> arguments;
};

/// Each declared verb with its arguments, in the order of --help. The values of an argument are
/// those accepted by its check, or those listed in its help as "a | b | c".
std::vector<DescribedVerb> described(std::span<const Verb> verbs);

}  // namespace edgeprobe::cli
