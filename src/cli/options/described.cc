// SPDX-License-Identifier: Apache-2.0
#include "cli/options/described.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

namespace edgeprobe::cli {
namespace {

bool is_word_character(char c) {
  return std::islower(static_cast<unsigned char>(c)) || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

/// "kernels: xnnpack (usual) | builtin" -> xnnpack, builtin. Words in capitals are placeholders.
std::vector<std::string> listed_in(const std::string& help) {
  constexpr std::string_view kBetween = " | ";
  std::vector<std::string> words;
  for (std::size_t at = help.find(kBetween); at != std::string::npos;
       at = help.find(kBetween, at + 1)) {
    std::size_t stop = at, end = at + kBetween.size();
    if (at > 0 && help[at - 1] == ')') {  // A remark about the preceding word.
      const std::size_t remark = help.rfind(" (", at);
      if (remark != std::string::npos) stop = remark;
    }
    std::size_t begin = stop;
    while (begin > 0 && is_word_character(help[begin - 1])) --begin;
    while (end < help.size() && is_word_character(help[end])) ++end;
    for (const std::string& word : {help.substr(begin, stop - begin),
                                    help.substr(at + kBetween.size(), end - at - kBetween.size())})
      if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(word);
  }
  return words;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == by) parts.emplace_back();
    else parts.back() += c;
  return parts;
}

/// Removes a check's addition from a type: "TEXT:{a,b}" -> "TEXT" and its words.
std::string without_checks(std::string type, std::vector<std::string>& choices) {
  if (const auto brace = type.find(":{"); brace != std::string::npos && type.back() == '}') {
    choices = split(type.substr(brace + 2, type.size() - brace - 3), ',');
    return type.substr(0, brace);
  }
  for (const char* const check : {":POSITIVE", ":INT in [", ":UINT in [", ":FLOAT in ["})
    type = type.substr(0, type.find(check));
  return type;
}

DescribedArgument described(const CLI::Option& option) {
  DescribedArgument out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  out.is_positional = !option.nonpositional();
  if (out.is_positional) out.names.push_back(option.get_name(true));
  out.help = option.get_description();
  out.group = option.get_group();
  for (const CLI::Option* other : option.get_needs()) out.needs.push_back(other->get_name());
  for (const CLI::Option* other : option.get_excludes()) out.excludes.push_back(other->get_name());
  out.is_required = option.get_required();
  out.is_repeatable = option.get_expected_max() > 1 ||
                      option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  if (option.get_items_expected_max() == 0) return out;
  out.may_lack_value = option.get_items_expected_min() == 0 && !out.is_positional;
  out.standard = option.get_default_str();
  out.value = without_checks(option.get_type_name(), out.choices);
  if (out.choices.empty()) out.choices = listed_in(out.help);
  const std::string type = out.value.substr(0, out.value.find(' '));
  out.kind = !out.choices.empty()                                 ? ValueKind::kWord
             : type == "INT" || type == "UINT" || type == "FLOAT" ? ValueKind::kNumber
                                                                  : ValueKind::kFile;
  return out;
}

}  // namespace

std::vector<DescribedVerb> described(std::span<const Verb> verbs) {
  std::vector<DescribedVerb> all;
  for (const Verb& verb : verbs) {
    DescribedVerb& one = all.emplace_back();
    one.name = verb.name;
    one.help = verb.help;
    one.example = verb.example;
    for (const Verb& other : verbs)
      if (std::string(other.name).rfind(one.name + ' ', 0) == 0) one.is_group = true;
    CLI::App app;
    Parser parser(&app);
    // Keeps the variables that options refer to alive.
    const Work work = verb.declare ? verb.declare(parser) : Work();
    for (const CLI::Option* option : app.get_options()) one.arguments.push_back(described(*option));
  }
  return all;
}

}  // namespace edgeprobe::cli
