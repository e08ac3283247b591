// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/answers/judged.h"

namespace edgeprobe::diagnose {

/// Frames by which answers may be late; below 0: early.
inline constexpr long kLateAnswers[] = {1, 2, -1};
/// Minimum number of answers, and of those among them that do not match their own frame.
inline constexpr std::size_t kFewestLate = 6, kFewestUnlike = 3;

/// Pairs each answer with the outputs of `late` frames earlier. Empty if frames are missing.
template <class Frame>
std::vector<Frame> moved_frames(const std::vector<Frame>& frames, long late) {
  std::vector<Frame> moved;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const long from = static_cast<long>(i) - late;
    if (from < 0 || from >= static_cast<long>(frames.size())) continue;
    const Frame& other = frames[static_cast<std::size_t>(from)];
    if (static_cast<long>(frames[i].number) - static_cast<long>(other.number) != late) return {};
    moved.push_back(other);
    moved.back().number = frames[i].number;
    moved.back().answer = frames[i].answer;
  }
  return moved;
}

/// Returns the finding "the app answers with the outputs of another frame" if, on shifted frames,
/// the reference's recipe gives every answer (`agrees(frames)`); else `found`.
template <class Frame, class Agrees>
AnswerFinding or_late(AnswerFinding found, const std::vector<Frame>& frames, const Agrees& agrees) {
  if (found.status == AnswerStatus::kAgrees || found.status == AnswerStatus::kExplained ||
      found.unlike < kFewestUnlike)
    return found;
  for (const long late : kLateAnswers) {
    const std::vector<Frame> moved = moved_frames(frames, late);
    if (moved.size() < kFewestLate || !agrees(moved)) continue;
    const char* const from = late == 1   ? "the frame before"
                             : late == 2 ? "2 frames before"
                                         : "the frame after";
    AnswerFinding::Explanation told;
    told.changes.push_back(
        {std::string("the app answers each frame with the outputs of ") + from, ""});
    told.is_proven = true;
    found.status = AnswerStatus::kExplained;
    found.explanations = {std::move(told)};
    found.decides.reset();
    break;
  }
  return found;
}

}  // namespace edgeprobe::diagnose
