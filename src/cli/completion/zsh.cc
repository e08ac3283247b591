// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/scripts.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

constexpr const char* kBegin = R"(#compdef edgeprobe
# zsh completion of edgeprobe, made by: edgeprobe completion zsh
__edgeprobe_plugins() {
  local kind=$1 at=$words[(I)--python] python=()
  shift
  (( at )) && python=(--python $words[at+1])
  local names=$($program list --names ${kind#all} $python 2>/dev/null)
  compadd -- $@ ${(f)names}
  [[ $kind == (datasets|metrics|compilers|models) ]] && _files
}
_edgeprobe() {
  local verb= taken=1 program=$words[1]
  if (( CURRENT > 2 )); then
    verb=$words[2] taken=2
    case "$words[2] $words[3]" in
      (GROUPED) (( CURRENT > 3 )) && verb="$words[2] $words[3]" taken=3 ;;
    esac
  fi
  (( CURRENT -= taken - 1 ))
  words=(edgeprobe "${(@)words[taken + 1,-1]}")
  case $verb in
)";

// Registers itself when sourced; as a file in $fpath, its body is the function.
constexpr const char* kEnd = R"(  esac
}
if [[ $funcstack[1] == _edgeprobe ]]; then
  _edgeprobe "$@"
else
  compdef _edgeprobe edgeprobe
fi
)";

std::string quoted(const std::string& text) { return single_quoted(text, "'\\''"); }

/// Escapes characters that _arguments and _describe interpret.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += std::string(c == ':' || c == '[' || c == ']' || c == '\\', '\\') + c;
  return out;
}

std::string values_of(const std::vector<DescribedVerb>& verbs, const DescribedVerb& verb,
                      const DescribedArgument& argument) {
  // Words after a blank are called as they are.
  if (const std::string plugins = plugins_of(verb, argument); !plugins.empty())
    return " __edgeprobe_plugins " + plugins + " " + joined(words_of(verbs, verb, argument), " ");
  switch (argument.kind) {
    case ValueKind::kWord: return "(" + joined(argument.choices, " ") + ")";
    case ValueKind::kNumber: return " ";
    default: return "_files";
  }
}

std::string flag_specs(const DescribedArgument& argument, const std::string& values) {
  std::string text;
  for (const std::string& name : argument.names) {
    const bool takes_value = argument.kind != ValueKind::kNone;
    std::string spec = argument.is_repeatable ? "*" : "";
    spec += name + (takes_value && name.rfind("--", 0) == 0 ? "=" : "") + "[" +
            plain(argument.help) + "]";
    if (takes_value)
      spec += (argument.may_lack_value ? "::" : ":") + plain(argument.value) + ":" + values;
    text += " \\\n        " + quoted(spec);
  }
  return text;
}

std::string described_verbs(const std::vector<const DescribedVerb*>& verbs) {
  std::string text;
  for (const DescribedVerb* const verb : verbs)
    text += " " + quoted(plain(last_word(*verb)) + ":" + plain(verb->help));
  return "      local -a verbs=(" + text + ")\n      _describe verb verbs\n";
}

std::string of_verb(const std::vector<DescribedVerb>& verbs, const DescribedVerb& verb) {
  std::string text = "    (" + quoted(verb.name) + ")\n", words;
  if (verb.is_group)
    text += "      if (( CURRENT == 2 )); then\n" + described_verbs(below(verbs, verb.name)) +
            "      fi\n";
  for (const DescribedArgument& argument : verb.arguments) {
    const std::string values = values_of(verbs, verb, argument);
    if (!argument.is_positional) words += flag_specs(argument, values);
    else
      words += " \\\n        " + quoted((argument.is_repeatable ? "*:" : ":") +
                                        plain(argument.names.front()) + ":" + values);
  }
  return text + "      _arguments" + words + "\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const std::vector<DescribedVerb>& verbs) {
  std::string grouped, all;
  for (const DescribedVerb& verb : verbs) {
    if (verb.name.find(' ') != std::string::npos)
      grouped += (grouped.empty() ? "" : "|") + quoted(verb.name);
    all += of_verb(verbs, verb);
  }
  std::string begin = kBegin;
  const std::string place = "GROUPED";
  begin.replace(begin.find(place), place.size(), grouped);
  return begin + "    ('')\n" + described_verbs(below(verbs, "")) + "      ;;\n" + all + kEnd;
}

}  // namespace edgeprobe::cli
