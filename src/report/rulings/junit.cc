// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"
#include "report/rulings/rulings.h"

namespace edgeprobe::report {
namespace {

constexpr std::size_t kLongestId = 400, kLongestMessage = 600, kLongestFact = 1000,
                      kLongestCure = 4000;

std::string details(const Ruling& ruling) {
  std::string text;
  for (const Fact& fact : ruling.facts) {
    if (fact.title.empty()) continue;
    text +=
        escaped_xml(fact.title, kLongestId) + ": " + escaped_xml(fact.text, kLongestFact) + "\n";
  }
  if (!ruling.cure.empty()) text += "what to do: " + escaped_xml(ruling.cure, kLongestCure) + "\n";
  for (const Code& code : ruling.code)
    text += escaped_xml(code.title, kLongestId) + ":\n" + escaped_lines(code.text) + "\n";
  return text;
}

std::string test_case(const Ruling& ruling, const std::string& group) {
  const std::string begin = "<testcase classname=\"edgeprobe." + group + "\" name=\"" +
                            escaped_xml(ruling.id, kLongestId) + "\"";
  const std::string message = " message=\"" + escaped_xml(ruling.message, kLongestMessage) + "\">";
  switch (ruling.ruled) {
    case Ruled::kPasses: break;
    case Ruled::kNote:
      return begin + ">\n<system-out>" + escaped_xml(ruling.message, kLongestMessage) + "\n" +
             details(ruling) + "</system-out>\n</testcase>\n";
    case Ruled::kSkipped:
      return begin + ">\n<skipped message=\"" +
             escaped_xml(ruling.message + "; " + ruling.cure, kLongestMessage) +
             "\"/>\n</testcase>\n";
    case Ruled::kUndecided:
      return begin + ">\n<error type=\"cannot tell\"" + message + details(ruling) +
             "</error>\n</testcase>\n";
    case Ruled::kFails:
      return begin + ">\n<failure type=\"fails\"" + message + details(ruling) +
             "</failure>\n</testcase>\n";
  }
  return begin + "/>\n";
}

}  // namespace

std::string junit_text(const Rulings& rulings) {
  const std::string counts = " tests=\"" + std::to_string(rulings.lines.size()) + "\" failures=\"" +
                             std::to_string(rulings.count(Ruled::kFails)) + "\" errors=\"" +
                             std::to_string(rulings.count(Ruled::kUndecided)) + "\" skipped=\"" +
                             std::to_string(rulings.count(Ruled::kSkipped)) + "\"";
  // overwrite.cc recognises an older file by its comment.
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- edgeprobe " + rulings.verb +
                    " -->\n<testsuites" + counts + ">\n<testsuite name=\"" +
                    escaped_xml(rulings.name, kLongestId) + "\"" + counts + " hostname=\"" +
                    escaped_xml(rulings.subject, kLongestId) + "\">\n";
  const std::string group = rulings.verb.substr(0, rulings.verb.find(' '));
  for (const Ruling& one : rulings.lines) xml += test_case(one, group);
  return xml + "</testsuite>\n</testsuites>\n";
}

}  // namespace edgeprobe::report
