// SPDX-License-Identifier: Apache-2.0
#include "contract/parts/parts.h"
#include "core/text.h"

namespace edgeprobe::contract {

std::vector<Finding> check_own(const Evidence& evidence) {
  std::vector<Finding> findings;
  const TraceFigures& figures = evidence.figures;
  for (const auto& [name, said] : figures.asserted) {
    Finding finding = passing("app." + name);
    if (said != "holds") {
      finding.state = State::kFails;
      finding.why = sanitized(said, 400);
      finding.cure = "the app asserts this of itself: see its assert_that(probe, …)";
    }
    findings.push_back(std::move(finding));
  }
  for (const auto& [name, frames] : figures.numbers) {
    if (name.rfind(kAssertion, 0) != 0) continue;
    Finding finding = passing("app." + name.substr(kAssertion.size()));
    if (figures.asserted.count(name.substr(kAssertion.size())) > 0) finding.id += " (frames)";
    finding.frames = frames.size();
    for (const auto& [frame, holds] : frames) {
      if (holds != 0 || finding.failing++ > 0) continue;
      set_frame(finding, frame, figures);
      const auto reasons = figures.texts.find(name + ".why");
      if (reasons != figures.texts.end() && reasons->second.count(frame) > 0)
        finding.why = sanitized(reasons->second.at(frame), 400);
    }
    if (finding.failing > 0) {
      finding.state = State::kFails;
      finding.cure = "the app asserts this of itself: see its assert_that(frame, …)";
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace edgeprobe::contract
