// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/scripts.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

constexpr const char* kBegin = R"(# fish completion of edgeprobe, made by: edgeprobe completion fish
function __edgeprobe_at
    set -l words (commandline -opc)
    set -l verb $words[2]
    if contains -- "$words[2] $words[3]" GROUPED
        set verb "$words[2] $words[3]"
    end
    test "$verb" = "$argv[1]"
end
function __edgeprobe_plugins
    set -l words (commandline -opc)
    set -l python
    if set -l at (contains -i -- --python $words)
        set python --python $words[(math $at + 1)]
    end
    $words[1] list --names (string match -v all $argv[1]) $python 2>/dev/null
end
)";

std::string quoted(const std::string& text) {
  std::string plain;
  for (const char c : text) plain += std::string(c == '\\', '\\') + c;
  return single_quoted(plain, "\\'");
}

/// The beginning of a line for completions after a verb.
std::string complete_at(const std::string& verb) {
  return "complete -c edgeprobe -n " + quoted("__edgeprobe_at \"" + verb + "\"");
}

std::string verb_lines(const std::vector<DescribedVerb>& verbs, const std::string& group) {
  std::string text;
  for (const DescribedVerb* const verb : below(verbs, group))
    text += complete_at(group) + " -f -a " + quoted(last_word(*verb)) + " -d " +
            quoted(verb->help) + "\n";
  return text;
}

std::string argument_line(const std::vector<DescribedVerb>& verbs, const DescribedVerb& verb,
                          const DescribedArgument& argument) {
  const std::string plugins = plugins_of(verb, argument);
  std::string words = joined(words_of(verbs, verb, argument), " ");
  if (!plugins.empty()) words += " (__edgeprobe_plugins " + plugins + ")";
  const std::string offered = quoted(words);
  if (argument.is_positional)
    return words.empty() ? "" : complete_at(verb.name) + " -f -a " + offered + "\n";
  std::string text = complete_at(verb.name);
  for (const std::string& name : argument.names)
    text += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (argument.kind == ValueKind::kWord) text += " -x -a " + offered;
  if (argument.kind == ValueKind::kNumber) text += " -x";
  if (argument.kind == ValueKind::kFile && !argument.may_lack_value)
    text += " -r -F" + (plugins.empty() ? "" : " -a " + offered);
  return text + " -d " + quoted(argument.help) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<DescribedVerb>& verbs) {
  std::string grouped, all = verb_lines(verbs, "");
  for (const DescribedVerb& verb : verbs) {
    if (verb.name.find(' ') != std::string::npos)
      grouped += (grouped.empty() ? "" : " ") + quoted(verb.name);
    if (verb.is_group) all += verb_lines(verbs, verb.name);
    for (const DescribedArgument& argument : verb.arguments)
      all += argument_line(verbs, verb, argument);
  }
  std::string begin = kBegin;
  const std::string place = "GROUPED";
  begin.replace(begin.find(place), place.size(), grouped);
  return begin + all;
}

}  // namespace edgeprobe::cli
