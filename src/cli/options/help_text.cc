// SPDX-License-Identifier: Apache-2.0
#include "cli/options/help_text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/options/described.h"
#include "core/text.h"
#include "report/text/columns.h"

namespace edgeprobe::cli {
namespace {

constexpr std::size_t kNames = 30;  // Columns before the descriptions.

/// "  --floor FLOAT" with its description next to or below it.
std::string row(const std::string& names, const std::string& text, std::size_t width) {
  std::string first = "  " + names;
  if (report::columns(first) + 2 <= kNames) first = report::padded(first, kNames);
  else if (text.empty()) return first + "\n";
  else return first + "\n" + report::wrapped(std::string(kNames, ' '), text, width);
  return text.empty() ? "  " + names + "\n" : report::wrapped(first, text, width);
}

std::string names_of(const DescribedArgument& argument) {
  std::string text = edgeprobe::joined(argument.names, ",");
  if (!argument.value.empty()) text += " " + argument.value;
  if (!argument.standard.empty()) text += "=" + argument.standard;
  return text + (argument.is_required ? " REQUIRED" : "");
}

std::string text_of(const DescribedArgument& argument) {
  std::string text = argument.help;
  if (!argument.choices.empty() && text.find(argument.choices.front()) == std::string::npos)
    text += ": " + edgeprobe::joined(argument.choices, " | ");
  for (const std::string& other : argument.needs) text += "; with " + other;
  for (const std::string& other : argument.excludes) text += "; not with " + other;
  return text;
}

bool has_name(const DescribedArgument& argument, const std::string& name) {
  return std::find(argument.names.begin(), argument.names.end(), name) != argument.names.end();
}

/// "edgeprobe bench [OPTIONS] [model] [VERB]"
std::string usage(const DescribedVerb& verb) {
  std::string text = "Usage: edgeprobe " + verb.name;
  if (!verb.arguments.empty()) text += " [OPTIONS]";
  for (const DescribedArgument& one : verb.arguments)
    if (one.is_positional) {
      const std::string name = one.names.front() + (one.is_repeatable ? "..." : "");
      text += one.is_required ? " " + name : " [" + name + "]";
    }
  if (verb.is_group) text += verb.arguments.size() > 1 ? " [VERB]" : " VERB";
  return text + "\n";
}

/// The verbs of a group, or those without a group.
std::string verbs_below(const Program& program, const std::string& group, std::size_t width) {
  std::string text;
  const std::string begin = group.empty() ? "" : group + " ";
  for (const Verb& verb : program.verbs) {
    const std::string name = verb.name;
    if (name.rfind(begin, 0) == 0 && name.find(' ', begin.size()) == std::string::npos)
      text += row(name.substr(begin.size()), verb.help, width);
  }
  return text.empty() ? "" : "\nVerbs:\n" + text;
}

std::string arguments(const DescribedVerb& verb, std::size_t width) {
  std::string text, heading;
  for (const DescribedArgument& one : verb.arguments)
    if (one.is_positional) text += row(names_of(one), text_of(one), width);
  if (!text.empty()) text = "\nPositionals:\n" + text;
  for (const DescribedArgument& one : verb.arguments) {
    if (one.is_positional) continue;
    if (one.group != heading) text += "\n" + (heading = one.group) + ":\n";
    text += row(names_of(one), text_of(one), width);
  }
  return text;
}

std::vector<std::string> words_of(const char* text) {
  std::istringstream stream(text ? text : "");
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// Keeps positional arguments and those in `common`, in its order.
void keep_common(DescribedVerb& verb, const std::vector<std::string>& common) {
  const std::size_t all = static_cast<std::size_t>(
      std::count_if(verb.arguments.begin(), verb.arguments.end(),
                    [](const DescribedArgument& one) { return !one.is_positional; }));
  std::vector<DescribedArgument> kept;
  for (const DescribedArgument& one : verb.arguments)
    if (one.is_positional) kept.push_back(one);
  for (const std::string& name : common)
    for (DescribedArgument& one : verb.arguments)
      if (has_name(one, name)) {
        one.group = "Options";
        kept.push_back(one);
      }
  DescribedArgument more;
  more.names = {"--help-all"};
  more.help = "All " + std::to_string(all) + " options";
  more.group = "Options";
  kept.push_back(more);
  verb.arguments = std::move(kept);
}

std::string help_of_program(const Program& program, std::size_t width) {
  std::string text =
      report::wrapped("", program.help, width) + "\nUsage: edgeprobe VERB [OPTIONS]\n\nOptions:\n" +
      row("-h,--help", "Print this text; 'edgeprobe VERB --help' prints the help of a verb",
          width) +
      row("-V,--version", "Print the version of the program", width) +
      verbs_below(program, "", width);
  std::istringstream notes(program.notes);
  for (std::string line; std::getline(notes, line);)
    // Examples are never wrapped.
    text += line.empty() || line[0] == ' ' ? line + "\n" : report::wrapped("", line, width);
  return text;
}

std::size_t help_width() {
  constexpr std::size_t kUsual = 100, kLeast = 50, kMost = 200;
  if (const char* const given = std::getenv("COLUMNS"))
    if (const long columns = std::strtol(given, nullptr, 10); columns > 0)
      return std::clamp(static_cast<std::size_t>(columns), kLeast, kMost);
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::clamp<std::size_t>(size.ws_col, kLeast, kUsual);
}

}  // namespace

std::string help_text(const Program& program, const Verb* verb, bool all) {
  const std::size_t width = help_width();
  if (!verb) return help_of_program(program, width);
  DescribedVerb described = cli::described(std::span(verb, 1)).front();
  described.is_group = !verbs_below(program, verb->name, width).empty();
  if (const auto common = words_of(verb->common); !all && !common.empty())
    keep_common(described, common);
  return report::wrapped("", verb->help, width) + "\n" + usage(described) +
         arguments(described, width) + verbs_below(program, verb->name, width) + "\nExample:\n  " +
         verb->example + "\n";
}

}  // namespace edgeprobe::cli
