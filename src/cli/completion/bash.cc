// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "cli/completion/scripts.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

// bash splits flag=value and python:NAME into three words each. Without a candidate, readline
// completes file names.
constexpr const char* kBegin = R"(# bash completion of edgeprobe, made by: edgeprobe completion bash
_edgeprobe_plugins() {
  local python=() at
  for ((at = 2; at < COMP_CWORD; ++at)); do
    [[ ${COMP_WORDS[at]} == --python ]] || continue
    [[ ${COMP_WORDS[at + 1]} == = ]] && ((++at))
    python=(--python "${COMP_WORDS[at + 1]}")
  done
  "${COMP_WORDS[0]}" list --names ${1#all} "${python[@]}" 2>/dev/null
}
_edgeprobe() {
  local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} colon= previous
  local flags= verbs= values= kind= plugins=
  COMPREPLY=()
  if [[ $word == : ]]; then
    word= colon=${COMP_WORDS[--at]}:
  elif ((at > 2)) && [[ ${COMP_WORDS[at - 1]} == : ]]; then
    ((at -= 2))
    colon=${COMP_WORDS[at]}:
  fi
  previous=${COMP_WORDS[at - 1]}
  if [[ $word == = ]]; then
    word=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[at - 2]}
  fi
  ((COMP_CWORD > 1)) || verb=
  if ((COMP_CWORD > 2)); then
    case "$verb ${COMP_WORDS[2]}" in
      GROUPED) verb="$verb ${COMP_WORDS[2]}" ;;
    esac
  fi
  case $verb in
)";

constexpr const char* kEnd = R"(  esac
  case $kind in
    word) ;;
    number) compopt +o default 2>/dev/null; return ;;
    file) return ;;
    *) if [[ $word == -* ]]; then values=$flags plugins=; else values=$verbs; fi ;;
  esac
  # Names of files come first.
  if [[ $plugins == datasets && (-z $colon$word || -n $(compgen -f -- "$colon$word")) ]]; then
    plugins=
  fi
  [[ -z $plugins ]] || values="$values $(_edgeprobe_plugins $plugins) "
  COMPREPLY=($(compgen -W "$values" -- "$colon$word"))
  COMPREPLY=("${COMPREPLY[@]#"$colon"}")
}
complete -o default -F _edgeprobe edgeprobe
)";

/// "--level | -l": the flags with a value of one kind as their next word, and the values.
std::string values_after_flags(const DescribedVerb& verb) {
  std::map<std::string, std::string> flags_of;
  for (const DescribedArgument& argument : verb.arguments) {
    if (argument.is_positional) continue;
    std::string what;
    if (argument.kind == ValueKind::kWord)
      what = "kind=word values='" + joined(argument.choices, " ") + "'";
    if (argument.kind == ValueKind::kNumber) what = "kind=number";
    if (argument.kind == ValueKind::kFile && !argument.may_lack_value) what = "kind=file";
    if (const std::string plugins = plugins_of(verb, argument); !plugins.empty())
      what = "kind=word values='" + joined(argument.choices, " ") + "' plugins=" + plugins;
    if (what.empty()) continue;
    std::string& flags = flags_of[what];
    flags += (flags.empty() ? "" : " | ") + joined(argument.names, " | ");
  }
  std::string text;
  for (const auto& [what, flags] : flags_of) text += "        " + flags + ") " + what + " ;;\n";
  return text.empty() ? "" : "      case $previous in\n" + text + "      esac\n";
}

std::string of_verb(const std::vector<DescribedVerb>& verbs, const DescribedVerb& verb) {
  std::vector<std::string> flags, words;
  std::string plugins;
  for (const DescribedArgument& argument : verb.arguments) {
    std::vector<std::string>& names = argument.is_positional ? words : flags;
    const std::vector<std::string> more =
        argument.is_positional ? words_of(verbs, verb, argument) : argument.names;
    if (argument.is_positional) plugins += plugins_of(verb, argument);
    names.insert(names.end(), more.begin(), more.end());
  }
  if (verb.is_group)
    for (const DescribedVerb* const one : below(verbs, verb.name)) words.push_back(last_word(*one));
  return "    '" + verb.name + "')\n      flags='" + joined(flags, " ") + "'\n      verbs='" +
         joined(words, " ") + "'\n" + (plugins.empty() ? "" : "      plugins=" + plugins + "\n") +
         values_after_flags(verb) + "      ;;\n";
}

}  // namespace

std::string bash_completion(const std::vector<DescribedVerb>& verbs) {
  std::string grouped, all, first;
  for (const DescribedVerb& verb : verbs) {
    if (verb.name.find(' ') != std::string::npos)
      grouped += (grouped.empty() ? "'" : " | '") + verb.name + "'";
    else first += (first.empty() ? "" : " ") + verb.name;
    all += of_verb(verbs, verb);
  }
  std::string begin = kBegin;
  const std::string place = "GROUPED";
  begin.replace(begin.find(place), place.size(), grouped);
  return begin + "    '')\n      flags='--help --help-all --version'\n      verbs='" + first +
         "'\n      ;;\n" + all + kEnd;
}

}  // namespace edgeprobe::cli
