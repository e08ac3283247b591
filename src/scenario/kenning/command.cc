// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "core/text.h"
#include "scenario/kenning/source.h"

namespace edgeprobe::scenario::kenning {
namespace {

/// The last part of "a.b.c.Name": Name.
std::string last_part(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? path : path.substr(dot + 1);
}

/// The modules of each version, and the flag that names a class of the role.
struct Place {
  Role role;
  const char* module;
  const char* flag;
};
constexpr std::array kPlaces{
    Place{Role::kModelWrapper, ".modelwrappers.", "--modelwrapper-cls"},
    Place{Role::kDataset, ".datasets.", "--dataset-cls"},
    Place{Role::kOptimizer, ".compilers.", "--compiler-cls"},
    Place{Role::kOptimizer, ".optimizers.", "--modelcompiler-cls"},
    Place{Role::kRuntime, ".runtimes.", "--runtime-cls"},
    Place{Role::kProtocol, ".runtimeprotocols.", "--protocol-cls"},
    Place{Role::kProtocol, ".protocols.", "--protocol-cls"},
    Place{Role::kPlatform, ".platforms.", "--platform-cls"},
    Place{Role::kDataConverter, ".dataconverters.", "--dataconverter-cls"},
    Place{Role::kDataProvider, ".dataproviders.", ""},
    Place{Role::kOutputCollector, ".outputcollectors.", ""},
    Place{Role::kConverter, ".onnxconverters.", ""},
    Place{Role::kModelConverter, "kenning.converters.", ""},
    Place{Role::kReport, "kenning.report.", "--report-cls"},
    Place{Role::kAutoMl, "kenning.automl.", "--automl-cls"},
    Place{Role::kInferenceLoop, ".inferenceloops.", ""},
    Place{Role::kRuntimeBuilder, ".runtimebuilders.", ""},
};

/// True for an option, but not for a negative number.
bool is_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] == '-' ? word.size() > 2 : std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

/// The program at the start: python -m PACKAGE.scenarios.NAME, python -m kenning VERB, kenning
/// VERB.
Result<std::size_t> read_program(const std::vector<std::string>& words, Source& source) {
  const auto other = [&](const std::string& why) {
    return Error{ErrorKind::kUsage,
                 why +
                     "; expected 'python -m kenning.scenarios.NAME …' (or "
                     "'edge_ai_tester.scenarios'), 'kenning VERB …', or a scenario file"};
  };
  std::size_t at = 0;
  const std::string program = words[0].substr(words[0].rfind('/') + 1);
  if (program.starts_with("python")) {
    if (words.size() < 3 || words[1] != "-m") return other("'" + sanitized(words[0], 60) + "'");
    at = 2;
  }
  const std::string& module = words[at];
  // edge_ai_tester is the name from June 2021, dl_framework_analyzer the one before.
  for (const char* const package :
       {"kenning.scenarios.", "edge_ai_tester.scenarios.", "dl_framework_analyzer.scenarios."})
    if (module.starts_with(package)) {
      source.scenarios.push_back(module.substr(std::string_view(package).size()));
      source.is_seed = !module.starts_with("kenning.");
      return at + 1;
    }
  if (module.substr(module.rfind('/') + 1) != "kenning")
    return other("'" + sanitized(module, 60) + "' is not of Kenning");
  source.scenario_role = Role::kVerb;
  for (++at; at < words.size() && find_class(Role::kVerb, words[at]); ++at)
    source.scenarios.push_back(words[at]);
  if (!source.scenarios.empty()) return at;
  if (at == words.size()) return other("'kenning' without a verb");
  std::vector<std::string> verbs;
  for (const Class& one : classes())
    if (one.role == Role::kVerb) verbs.push_back(one.name);
  const std::string near = closest_match(words[at], verbs);
  const std::string unknown = "'" + sanitized(words[at], 60) + "' is not a verb of Kenning";
  if (near.empty()) return other(unknown);
  return Error{ErrorKind::kUsage, unknown + "; did you mean '" + near + "'?"};
}

void add_class(Source& source, Role role, const std::string& path) {
  const std::string type = last_part(path);
  const std::string module =
      type.size() < path.size() ? path.substr(0, path.size() - type.size() - 1) : "";
  source.blocks.push_back({role, type, {}, "", module});
}

}  // namespace

Result<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\'') {
      if (c == '\'') quote = 0;
      else word += c;
    } else if (c == '\\' && i + 1 < line.size()) {
      const char next = line[++i];
      // In double quotes, a backslash is kept before a character that it does not escape.
      if (quote == '"' && next != '"' && next != '\\' && next != '$' && next != '`' && next != '\n')
        word += '\\';
      if (next == '\n') continue;
      word += next;
      in_word = true;
    } else if (quote == '"' && c == '"') {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
      in_word = true;
    } else if (c == '$' || c == '`' ||
               (!quote && (c == '|' || c == ';' || c == '&' || c == '<' || c == '>'))) {
      return Error{ErrorKind::kUsage, std::string("'") + c +
                                          "' in the command line: nothing is expanded or run here; "
                                          "write out the values, in a single command"};
    } else if (!quote && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote) return Error{ErrorKind::kUsage, std::string("a quote (") + quote + ") is not closed"};
  if (in_word) words.push_back(word);
  return words;
}

Result<Source> source_from_command(std::string_view line) {
  EP_TRY(const auto words, shell_words(line));
  if (words.empty()) return Error{ErrorKind::kUsage, "the command line is empty"};
  Source source;
  EP_TRY(const auto first, read_program(words, source));
  for (std::size_t i = first; i < words.size(); ++i) {
    std::string word = words[i];
    if (!is_option(word)) {
      const auto place = std::find_if(kPlaces.begin(), kPlaces.end(), [&](const Place& one) {
        return word.find(one.module) != std::string::npos && word.find('/') == std::string::npos;
      });
      if (place != kPlaces.end()) add_class(source, place->role, word);
      else source.operands.push_back(word);
      continue;
    }
    Parameter option;
    if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      option.values.push_back(word.substr(equals + 1));
      word.resize(equals);
    }
    option.name = word;
    while (option.values.empty() || (i + 1 < words.size() && !is_option(words[i + 1]))) {
      if (i + 1 >= words.size() || is_option(words[i + 1])) break;
      option.values.push_back(words[++i]);
    }
    const auto place = std::find_if(kPlaces.begin(), kPlaces.end(), [&](const Place& one) {
      return *one.flag && word == one.flag;
    });
    if (place == kPlaces.end()) {
      source.options.push_back(std::move(option));
      continue;
    }
    if (option.values.empty()) return Error{ErrorKind::kUsage, "'" + word + "' names no class"};
    for (const std::string& path : option.values) add_class(source, place->role, path);
  }
  return source;
}

}  // namespace edgeprobe::scenario::kenning
