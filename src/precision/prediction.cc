// SPDX-License-Identifier: Apache-2.0
#include "precision/prediction.h"

#include "layers/capture/logits.h"

namespace edgeprobe::precision {

const char* name(Level level) {
  switch (level) {
    case Level::kHolds: return "holds";
    case Level::kMoves: return "moves";
    case Level::kBreaks: break;
  }
  return "breaks";
}

const char* name(Reason reason) {
  switch (reason) {
    case Reason::kValue: return "value";
    case Reason::kPartial: return "partial_sum";
    case Reason::kInput: return "input";
    case Reason::kRounding: break;
  }
  return "rounding";
}

Level Outcome::level() const {
  if (not_finite > 0 || !(logit_nrmse <= layers::kIntegerLimits.severe)) return Level::kBreaks;
  return logit_nrmse <= layers::kIntegerLimits.quiet ? Level::kHolds : Level::kMoves;
}

}  // namespace edgeprobe::precision
