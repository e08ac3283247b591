// SPDX-License-Identifier: Apache-2.0
#include "report/junit/contract.h"

#include "report/page/html.h"

namespace edgeprobe::report {
namespace {

using contract::Finding;
using contract::State;

std::string details(const Finding& finding) {
  std::string text;
  const auto line = [&](const char* what, const std::string& said) {
    if (!said.empty()) text += std::string(what) + escaped_xml(said, 1000) + "\n";
  };
  line("value: ", finding.value);
  line("bound: ", finding.bound);
  if (finding.frame)
    line("frame: ",
         std::to_string(*finding.frame) + (finding.sample.empty() ? "" : " " + finding.sample));
  if (finding.failing > 0)
    line("frames: ", std::to_string(finding.failing) + " of " + std::to_string(finding.frames));
  line("what to do: ", finding.cure);
  return text;
}

}  // namespace

std::string contract_junit(const contract::Report& report, const std::string& contract,
                           const std::string& trace) {
  // An undecided time must not turn a build red.
  const std::size_t times = report.times_not_told();
  const std::string counts =
      " tests=\"" + std::to_string(report.findings.size()) + "\" failures=\"" +
      std::to_string(report.count(State::kFails)) + "\" errors=\"" +
      std::to_string(report.count(State::kCannotTell) - times) + "\" skipped=\"" +
      std::to_string(report.count(State::kNotYet) + times) + "\"";
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- edgeprobe contract check -->\n<testsuites" +
      counts + ">\n<testsuite name=\"" + escaped_xml(contract, 400) + "\"" + counts +
      " hostname=\"" + escaped_xml(trace, 400) + "\">\n";
  for (const Finding& one : report.findings) {
    xml += "<testcase classname=\"edgeprobe.contract\" name=\"" + escaped_xml(one.id, 400) + "\"";
    if (one.state == State::kPasses) {
      xml += "/>\n";
      continue;
    }
    if (one.state == State::kNotYet || (one.state == State::kCannotTell && one.of_time)) {
      xml += ">\n<skipped message=\"" + escaped_xml(one.why + "; " + one.cure, 600) +
             "\"/>\n</testcase>\n";
      continue;
    }
    const bool fails = one.state == State::kFails;
    const std::string tag = fails ? "failure" : "error";
    xml += ">\n<" + tag + " type=\"" + (fails ? "fails" : "cannot tell") + "\" message=\"" +
           escaped_xml(one.why, 600) + "\">" + details(one) + "</" + tag + ">\n</testcase>\n";
  }
  return xml + "</testsuite>\n</testsuites>\n";
}

}  // namespace edgeprobe::report
