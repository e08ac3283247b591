// SPDX-License-Identifier: Apache-2.0
#include "compare/outputs/agreement.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::compare {

double output_floor(bool quantized, std::uint64_t frames) {
  return (quantized ? 0.10 : 0.02) *
         (1 + 1 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(1, frames))));
}

const char* name(OutputDistance kind) {
  return kind == OutputDistance::kTotalVariation ? "total_variation" : "relative_l2";
}

const char* name(JoinedBy how) {
  switch (how) {
    case JoinedBy::kSample: return "sample";
    case JoinedBy::kFrameNumber: return "frame_number";
    case JoinedBy::kNothing: return "nothing";
  }
  return "";
}

}  // namespace edgeprobe::compare
