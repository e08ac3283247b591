// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/scripts.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

/// Escapes text for roff: hyphens can be copied, and no line begins with a dot or a quote.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  }
  return out;
}

std::string argument_entry(const DescribedArgument& argument) {
  std::string text = ".TP\n" + joined(argument.names, ", ", [&](const std::string& name) {
                       return (argument.is_positional ? "\\fI" : "\\fB") + roff(name) + "\\fR";
                     });
  if (!argument.value.empty() && !argument.is_positional)
    text += " \\fI" + roff(argument.value) + "\\fR";
  text += "\n" + roff(argument.help);
  if (!argument.standard.empty()) text += " (default: " + roff(argument.standard) + ")";
  return text + "\n";
}

std::string verb_section(const DescribedVerb& verb) {
  std::string text = ".SS edgeprobe " + roff(verb.name) + "\n" + roff(verb.help) + "\n";
  for (const bool positional : {true, false})
    for (const DescribedArgument& argument : verb.arguments)
      if (argument.is_positional == positional && argument.names.front() != "-h")
        text += argument_entry(argument);
  return text + ".PP\nExample:\n.PP\n.nf\n" + roff("  " + verb.example) + "\n.fi\n";
}

}  // namespace

std::string manual_page(const Program& program, const std::vector<DescribedVerb>& verbs) {
  std::string text =
      ".TH EDGEPROBE 1 \"\" \"edgeprobe " + roff(program.version) +
      "\" \"User Commands\"\n.SH NAME\nedgeprobe \\- " +
      roff("what a machine-learning model really does on its device, and why it differs") +
      "\n.SH SYNOPSIS\n.B edgeprobe\n.I VERB\n[options]\n.br\n.B edgeprobe\n"
      "[\\fIVERB\\fR] \\fB\\-\\-help\\fR\n.br\n.B edgeprobe \\-\\-version\n.SH DESCRIPTION\n" +
      roff(program.help) + "\n.SH VERBS\n";
  for (const DescribedVerb& verb : verbs) text += verb_section(verb);
  return text +
         ".SH EXIT STATUS\n0 agrees or done, 1 failed, 2 usage, 3 differs, 4 undecided, "
         "130 interrupted.\n.SH FILES\n.TP\n.I ~/.cache/edgeprobe\n"
         "Engines that \\fBedgeprobe fetch\\fR has brought.\n";
}

}  // namespace edgeprobe::cli
