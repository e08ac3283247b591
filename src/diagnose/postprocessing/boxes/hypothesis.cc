// SPDX-License-Identifier: Apache-2.0
#include "diagnose/postprocessing/boxes/hypothesis.h"

namespace edgeprobe::diagnose::boxes {

std::optional<Hypothesis> with(const Hypothesis& hypothesis, const Change& change) {
  if (hypothesis.touched & change.sets) return std::nullopt;
  Hypothesis out = hypothesis;
  change.apply(out.recipe);
  if (out.recipe == hypothesis.recipe) return std::nullopt;
  out.touched |= change.sets;
  return out;
}

}  // namespace edgeprobe::diagnose::boxes
