// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "report/page/html.h"
#include "report/page/input_pair.h"
#include "report/page/page.h"
#include "report/page/parts.h"
#include "report/page/picture_data.h"
#include "report/words/statement_values.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

/// "All of the difference is in rows 48 to 63 of 64", from the cause that states it.
std::string place_sentence(const diagnose::Verdict& verdict) {
  for (const diagnose::Cause& cause : verdict.causes)
    for (const diagnose::Evidence& said : cause.evidence)
      if (said.kind == diagnose::EvidenceKind::kDifferencePlace)
        return capitalised(Values(said).text("sentence"));
  return "";
}

}  // namespace

bool is_unexplained(const diagnose::Verdict& verdict) {
  return verdict.outcome != diagnose::Outcome::kAgrees &&
         with_status(verdict, diagnose::CauseStatus::kConfirmed).empty();
}

Section difference_section(const diagnose::Verdict& verdict) {
  Section section{"difference", "Where the model inputs differ", ""};
  const auto pair = farthest_pair(verdict);
  if (!pair || pair->rms < kVisibleDifference) {
    section.title = "Frame by frame";
    const auto& frames = verdict.frame_distances.frames;
    if (std::any_of(frames.begin(), frames.end(), [](const auto& one) { return one.differs; }))
      section.body = frame_strip(verdict.frame_distances);
    return section;
  }
  const std::string said = place_sentence(verdict);
  if (!said.empty()) section.body += "<p>" + escaped(said, 600) + ".</p>\n";
  section.body += "<div class=\"pictures\">\n";
  if (is_unexplained(verdict))
    section.body +=
        picture_figure(fitted(*pair->target, kMostPictureEdge), "target: what the model saw") +
        picture_figure(fitted(*pair->reference, kMostPictureEdge), "reference");
  // Frames with equal inputs would hide the curve under the line of equality.
  auto pairs = input_pairs(verdict);
  std::erase_if(pairs, [](const InputPair& one) { return one.rms < kVisibleDifference; });
  section.body +=
      heat_figure(*pair) + curve_figure(pairs) + "</div>\n" + frame_strip(verdict.frame_distances);
  return section;
}

}  // namespace edgeprobe::report
