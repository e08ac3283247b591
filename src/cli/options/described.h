// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/parser.h"

namespace edgeprobe::cli {

/// The kind of an argument's value, for a shell that completes it.
enum class ValueKind { kNone, kWord, kNumber, kFile };

/// An argument as --help shows it, for completions and the manual page.
struct DescribedArgument {
  std::vector<std::string> names;  ///< "-o", "--out"; of a positional argument its name.
  std::string value;               ///< "FILE": the word for its value; empty without one.
  std::string help;
  std::string standard;              ///< The default that --help shows, or "".
  std::vector<std::string> choices;  ///< The values that it may have, of a kWord.
  ValueKind kind = ValueKind::kNone;
  std::string group;                         ///< Its heading in --help.
  std::vector<std::string> needs, excludes;  ///< Names of other arguments.
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
  bool may_lack_value = false;  ///< "--json [FILE]".
};

struct DescribedVerb {
  std::string name;  ///< "check", "trace info".
  std::string help;
  std::string example;
  bool is_group = false;  ///< It has verbs below it; 'bench' is a verb as well.
  std::vector<DescribedArgument> arguments;
};

/// Each verb and its arguments as they are declared, in the order of --help. The values of an
/// argument are those that its check takes, or those that its help lists as "a | b | c".
std::vector<DescribedVerb> described(std::span<const Verb> verbs);

}  // namespace edgeprobe::cli
