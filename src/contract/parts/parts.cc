// SPDX-License-Identifier: Apache-2.0
#include "contract/parts/parts.h"

#include "core/text.h"

namespace edgeprobe::contract {

Finding passing(std::string id) {
  Finding finding;
  finding.id = std::move(id);
  return finding;
}

Finding passing_of_all(std::string id) {
  Finding finding = passing(std::move(id));
  finding.of_all_frames = true;
  return finding;
}

void set_frame(Finding& finding, std::uint32_t frame, const TraceFigures& figures) {
  finding.frame = frame;
  if (const trace::FrameRecord* const record = figures.record(frame))
    finding.sample = record->sample;
}

std::string text_of(const Span& span) {
  return "[" + number(span.low, 5) + ", " + number(span.high, 5) + "]";
}

}  // namespace edgeprobe::contract
