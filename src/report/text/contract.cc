// SPDX-License-Identifier: Apache-2.0
#include "report/text/contract.h"

#include <string_view>

#include "core/text.h"
#include "report/text/columns.h"

namespace edgeprobe::report {
namespace {

using contract::Finding;
using contract::State;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLongestValue = 20'000;  // It may be a recipe, which users copy.

std::string frames_text(const Finding& finding) {
  if (finding.failing == 0 || finding.frames == 0) return "";
  return "in " + std::to_string(finding.failing) + " of " + std::to_string(finding.frames) +
         " frames";
}

std::string where(const Finding& finding) {
  if (!finding.frame) return "";
  return (finding.failing > 1 ? "e.g. frame " : "frame ") + std::to_string(*finding.frame) +
         (finding.sample.empty() ? "" : " '" + sanitized(finding.sample, 60) + "'");
}

// Commands are not wrapped, so that they can be copied.
std::string cure_text(const std::string& cure) {
  constexpr std::string_view kCommand = " edgeprobe ";
  const std::size_t at = cure.find(kCommand);
  if (at == std::string::npos || at == 0 || (cure[at - 1] != ':' && cure[at - 1] != '?'))
    return wrapped("             → ", cure, kWidth);
  const std::string whole = "             → " + cure + "\n";
  if (columns(whole) <= kWidth) return whole;
  return wrapped("             → ", cure.substr(0, at), kWidth) + "              " +
         cure.substr(at) + "\n";
}

std::string told(const Finding& finding) {
  std::string text = finding.state == State::kFails ? "FAILS        " : "cannot tell  ";
  text += sanitized(finding.id, 200) + "\n";
  std::string value = sanitized(finding.value, kLongestValue);
  if (!finding.bound.empty())
    value += (value.empty() ? "" : "; ") + ("bound: " + sanitized(finding.bound, kLongestValue));
  std::string frames = where(finding);
  if (const std::string many = frames_text(finding); !many.empty())
    frames += (frames.empty() ? "" : ", ") + many;
  if (!value.empty()) text += wrapped("             ", value, kWidth);
  if (!frames.empty()) text += wrapped("             ", frames, kWidth);
  if (!finding.why.empty()) text += wrapped("             ", sanitized(finding.why, 600), kWidth);
  if (!finding.cure.empty()) text += cure_text(sanitized(finding.cure, kLongestValue));
  return text;
}

std::string ids_of(const contract::Report& report, State state) {
  std::string ids;
  for (const Finding& finding : report.findings)
    if (finding.state == state) ids += (ids.empty() ? "" : ", ") + sanitized(finding.id, 200);
  return ids;
}

}  // namespace

std::string contract_text(const contract::Report& report, const std::string& title) {
  std::string text;
  for (const State state : {State::kFails, State::kCannotTell})
    for (const Finding& finding : report.findings)
      if (finding.state == state) text += told(finding);
  if (const std::string later = ids_of(report, State::kNotYet); !later.empty())
    text += wrapped("not yet      ", later, kWidth);
  if (const std::string passed = ids_of(report, State::kPasses); !passed.empty())
    text += wrapped("passes       ", passed, kWidth);
  return text + contract_summary(report, title) + "\n";
}

std::string contract_summary(const contract::Report& report, const std::string& title) {
  const std::size_t fails = report.count(State::kFails), unknown = report.count(State::kCannotTell),
                    later = report.count(State::kNotYet);
  std::string text = sanitized(title, 200) + ": " + std::to_string(report.count(State::kPasses)) +
                     " of " + std::to_string(report.findings.size()) + " assertions pass";
  if (fails > 0) text += ", " + std::to_string(fails) + " fail";
  if (unknown > 0) text += ", " + std::to_string(unknown) + " undecided";
  if (unknown > 0 && fails == 0 && report.times_not_told() == unknown)
    text += " (times only: no difference)";
  if (report.first_frames)
    text += " in the first " + std::to_string(*report.first_frames) +
            (*report.first_frames == 1 ? " frame" : " frames");
  if (later > 0)
    text += "; " + std::to_string(later) + (later == 1 ? " needs" : " need") +
            " all frames: check the whole trace once the app has ended";
  return text;
}

}  // namespace edgeprobe::report
