// SPDX-License-Identifier: Apache-2.0
#include "diagnose/logged_order.h"

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

// Least loss by the fix, in frames and as a fraction of them: chance costs fewer.
constexpr double kFrames = 3, kFraction = 0.2;

}  // namespace

std::string doubt_logged_order(Verdict& verdict) {
  const TaskResult& task = verdict.task;
  if (!task.target || !task.fixed || task.lower_is_better) return "";
  const double loss = *task.target - *task.fixed;
  if (loss < kFraction || loss * static_cast<double>(task.n) < kFrames - 0.5) return "";
  std::string reason;
  for (Cause& cause : verdict.causes) {
    if (!cause.may_be_the_log || cause.status != CauseStatus::kConfirmed) continue;
    cause.status = CauseStatus::kPartial;
    reason = "as recorded, " + percent(*task.target) + " of the answers are right, with the fix " +
             percent(*task.fixed) +
             ": the app seems right and its pictures logged in the wrong channel order; log them "
             "as what they hold (frame.image(…, \"bgr8\") for pictures read by OpenCV)";
  }
  return reason;
}

}  // namespace edgeprobe::diagnose
