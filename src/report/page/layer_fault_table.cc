// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/words/rows.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kMostFaultRows = 10;

}  // namespace

Section layer_faults_section(const diagnose::Verdict& verdict) {
  Section section{"each-layer", "Each layer for itself", ""};
  if (!verdict.layer_faults) return section;
  const std::string said = layer_fault_sentence(*verdict.layer_faults);
  const auto unchecked = unchecked_layers(*verdict.layer_faults);
  if (said.empty() && unchecked.empty()) return section;
  std::string& out = section.body;
  if (!said.empty()) out += "<p>" + escaped(said, kLongestSentence) + "</p>\n";
  if (!unchecked.empty())
    out += "<details><summary>" + std::to_string(verdict.layer_faults->not_checked.size()) +
           " not checked</summary>\n" + html_list(unchecked) + "</details>\n";
  const auto rows = layer_fault_rows(verdict, kMostFaultRows);
  if (rows.empty()) return section;
  out +=
      "<table>\n<caption>Layers that stand out, in execution order; “kernel”, “local” and “alone” "
      "leave out what other layers did</caption>\n"
      "<thead><tr><th scope=\"col\" class=\"number\">#</th><th scope=\"col\" "
      "class=\"layer\">Layer</th><th scope=\"col\" class=\"wide-only\">Type</th>";
  const char* const css[] = {"number medium-only", "number", "number medium-only",
                             "number wide-only",   "number", "number wide-only"};
  for (std::size_t i = 0; i < std::size(kLayerFaultColumns); ++i)
    out += std::string("<th scope=\"col\" class=\"") + css[i] + "\">" +
           capitalised(kLayerFaultColumns[i]) + "</th>";
  out += "<th scope=\"col\">Class</th></tr></thead>\n<tbody>\n";
  for (const LayerFaultRow& row : rows) {
    out += "<tr><td class=\"number\">" + index_text(*row.layer) + "</td><th scope=\"row\">" +
           escaped(row.layer->name, kLongestName) + "</th><td class=\"wide-only type\">" +
           escaped(row.layer->type, 32) + "</td>";
    std::size_t i = 0;
    for (const std::string* cell : {&row.error_gain, &row.kernel_error, &row.local, &row.floor,
                                    &row.share, &row.single_layer_error})
      out += std::string("<td class=\"") + css[i++] + "\">" + *cell + "</td>";
    out += "<td>" + escaped(row.verdict, 32) + "</td></tr>\n";
  }
  out += "</tbody></table>\n";
  return section;
}

}  // namespace edgeprobe::report
