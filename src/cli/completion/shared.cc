// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/scripts.h"

namespace edgeprobe::cli {

std::string single_quoted(const std::string& text, const std::string& quote) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? quote : std::string(1, c);
  return out + "'";
}

std::vector<const DescribedVerb*> below(const std::vector<DescribedVerb>& verbs,
                                        const std::string& group) {
  std::vector<const DescribedVerb*> found;
  for (const DescribedVerb& verb : verbs) {
    const std::size_t space = verb.name.find(' ');
    const std::string above = space == std::string::npos ? "" : verb.name.substr(0, space);
    if (above == group) found.push_back(&verb);
  }
  return found;
}

std::string plugins_of(const DescribedVerb& verb, const DescribedArgument& argument) {
  const std::string& name = argument.names.back();
  if (name == "--engine" || name == "--reference-engine") return "engines";
  if (name == "--data") return "datasets";
  if (name == "--metric") return "metrics";
  if (name == "--to" && verb.name == "convert") return "compilers";
  if (name == "model" && verb.name == "train") return "models";
  return argument.is_positional && verb.name == "help" ? "all" : "";
}

std::vector<std::string> words_of(const std::vector<DescribedVerb>& verbs,
                                  const DescribedVerb& verb, const DescribedArgument& argument) {
  if (plugins_of(verb, argument) != "all") return argument.choices;
  std::vector<std::string> words;
  for (const DescribedVerb* const one : below(verbs, "")) words.push_back(one->name);
  return words;
}

std::string last_word(const DescribedVerb& verb) {
  return verb.name.substr(verb.name.find(' ') + 1);
}

}  // namespace edgeprobe::cli
