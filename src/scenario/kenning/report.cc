// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/text.h"
#include "scenario/kenning/notes.h"

namespace edgeprobe::scenario::kenning {

std::string without_marks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
  return text;
}

Note note_of(const std::string& what, const std::string& why) {
  return {sanitized(what, 200), without_marks(why)};
}

Error unknown_option(const std::string& name) {
  const std::string near = closest_match(name, all_flags());
  return {ErrorKind::kUsage, "'" + sanitized(name, 60) + "' is not a known option of Kenning" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?")};
}

namespace {

/// The words of `edgeprobe measurements` that correspond to an option of a report; empty without an
/// equivalent.
std::vector<std::string> report_words(const Option& option, const Parameter& parameter) {
  const std::string value = parameter.values.empty() ? "" : parameter.values.front();
  switch (option.rule) {
    case Rule::kReport: return parameter.values;
    case Rule::kHtml:
      if (value == "false") return {};
      return {"--html", value.empty() || value == "true" ? "report.html" : value + "/report.html"};
    case Rule::kReportFile:
      if (value.empty()) return {};
      return {value.ends_with(".rst") ? "--rst" : "--markdown", value};
    case Rule::kCharts:
      if (value.empty()) return {};
      return {"--svg", value + "/report"};
    default: return {};
  }
}

}  // namespace

Result<Translation> translate_report(const Source& source) {
  Translation done;
  std::vector<std::string> words{"measurements"}, flags;
  const auto take = [&](const Option& option, const Parameter& parameter) {
    if (option.rule == Rule::kFile && !parameter.values.empty())
      done.file = parameter.values.front();
    else if (option.rule == Rule::kAbsent)
      done.notes.push_back(note_of(parameter.name, option.why));
    const auto more = report_words(option, parameter);
    auto& to = option.rule == Rule::kReport ? words : flags;
    to.insert(to.end(), more.begin(), more.end());
  };
  for (const std::string& one : source.operands)
    if (one.ends_with(".json")) words.push_back(one);
    else if (one.ends_with(".md") || one.ends_with(".rst"))
      take(*find_flag("--report-path", {}), {"--report-path", {one}});
    else done.notes.push_back(note_of(one, "a report uses the names of its files"));
  for (const Block& block : source.blocks)
    for (const Parameter& parameter : block.parameters)
      if (const Option* const option = find_option(block.role, block.type, parameter.name))
        take(*option, parameter);
      else done.notes.push_back(note_of(parameter.name, "not a known parameter"));
  for (const Parameter& parameter : source.options) {
    const Option* const option = find_flag(parameter.name, {});
    if (!option) return unknown_option(parameter.name);
    take(*option, parameter);
  }
  if (words.size() == 1) words.emplace_back("FILE");
  words.insert(words.end(), flags.begin(), flags.end());
  done.command = std::move(words);
  return done;
}

}  // namespace edgeprobe::scenario::kenning
