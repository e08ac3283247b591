// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"
#include "report/page/parts.h"
#include "report/words/evidence.h"
#include "report/words/hints.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

std::string fix_of(const diagnose::Cause& cause) {
  if (cause.fix_step.empty() && cause.fix_code.empty()) return "";
  std::string out = "<h4>The fix</h4>\n";
  if (!cause.fix_step.empty())
    out += "<p>Recipe step: <code class=\"step\" data-copy>" + escaped(cause.fix_step) +
           "</code></p>\n";
  if (cause.fix_code.empty()) return out;
  out += "<div class=\"codes\">\n";
  for (const std::string& api : api_order(cause))
    out += "<div><h5>" + escaped(api_title(api), kLongestName) + "</h5><pre data-copy><code>" +
           escaped_lines(cause.fix_code.at(api)) + "</code></pre></div>\n";
  return out + "</div>\n";
}

std::string cause_card(const diagnose::Verdict& verdict, const diagnose::Cause& cause,
                       const std::string& title, std::size_t rank = 0) {
  std::string out =
      "<article class=\"card\">\n<h3>" + title + " <span class=\"badge " +
      diagnose::name(cause.status) + "\">" +
      (cause.status == diagnose::CauseStatus::kPartial ? "not confirmed"
                                                       : diagnose::name(cause.status)) +
      "</span></h3>\n";
  if (!cause.detail.empty())
    out += "<p>" + escaped(sentence(without_advice(cause.detail)), 2000) + "</p>\n";
  std::string facts;
  const auto fact = [&](const std::string& term, const std::string& text) {
    facts += "<dt>" + term + "</dt><dd>" + text + "</dd>\n";
  };
  if (!cause.layer.empty()) fact("Layer", escaped(layer_text(cause).substr(6), kLongestSentence));
  if (known(cause.explained_variance) && cause.together == 1)
    fact("Explains", share(cause.explained_variance) + " of the distance");
  if (known(cause.contribution))
    fact("Contributes", decimals(cause.contribution, 1) + " steps of 255 when only this is undone");
  const std::string whole = unharmed(verdict);
  if (known(cause.restored) && cause.restored_unit == diagnose::RestoredUnit::kAccuracy &&
      !whole.empty())
    fact(capitalised(restored_label(rank)), "nothing: accuracy " + whole);
  else if (known(cause.restored) || cause.restored_unavailable)
    fact(capitalised(restored_label(rank)), escaped(restored_text(cause)));
  if (!facts.empty()) out += "<dl class=\"facts\">\n" + facts + "</dl>\n";
  if (cause.status == diagnose::CauseStatus::kConfirmed) out += fix_of(cause);
  if (!cause.evidence.empty())
    out += "<h4>Evidence</h4>\n" + html_list(evidence_texts(cause.evidence));
  if (!cause.alternatives.empty())
    out += "<h4>These data cannot distinguish it from</h4>\n" + html_list(cause.alternatives);
  return out + "</article>\n";
}

}  // namespace

Section causes_section(const diagnose::Verdict& verdict) {
  Section section{"causes", verdict.causes.size() == 1 ? "Cause" : "Causes", ""};
  const auto confirmed = with_status(verdict, diagnose::CauseStatus::kConfirmed);
  const auto kind = [](const diagnose::Cause& cause) {
    return escaped(capitalised(kind_title(cause.kind)), kLongestName);
  };
  std::string& out = section.body;
  for (std::size_t i = 0; i < confirmed.size(); ++i)
    out += cause_card(
        verdict, *confirmed[i],
        (confirmed.size() > 1 ? std::to_string(i + 1) + ". " : "") + kind(*confirmed[i]), i);
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kNearly))
    out += cause_card(verdict, *cause, kind(*cause) + ", reproduced except for a small rest");
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kNote))
    out += cause_card(verdict, *cause, kind(*cause) + ", below the floor");
  for (const diagnose::Cause* cause : with_status(verdict, diagnose::CauseStatus::kPartial)) {
    const bool nameless = cause->kind == diagnose::CauseKind::kUnknown;
    out += cause_card(
        verdict, *cause,
        nameless ? "Cause unknown"
                 : "Cause unknown, nearest: " + escaped(kind_title(cause->kind), kLongestName));
  }
  return section;
}

}  // namespace edgeprobe::report
