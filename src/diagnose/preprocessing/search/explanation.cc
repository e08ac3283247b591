// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/search/explanation.h"

#include <algorithm>
#include <cmath>

namespace edgeprobe::diagnose {

namespace {

/// A named difference must leave at most this fraction of the distance.
constexpr double kLeftByDecoders = 0.25;

// Codes coarser than one gray step add their own rounding; codes coarser than this leave hardly
// anything to compare.
constexpr double kCoarsest = 4;

double with_codes(double limit, double step) {
  step = std::min(step, kCoarsest);
  return step > 1 ? std::sqrt(limit * limit + (step * step - 1) / 12) : limit;
}

}  // namespace

bool explains(double residual, double residual_before, const Frame& frame,
              const Reference& reference, const Hypothesis& h) {
  if (residual <= allowed(kExact, reference, h)) return true;
  return frame.lossy && residual <= allowed(kDecoder, reference, h) &&
         residual_before > 2 * kDecoder && residual <= kLeftByDecoders * residual_before;
}

double allowed(double limit, const Reference& reference) {
  return with_codes(limit, reference.coded ? reference.steps_per_unit() : 0);
}

double allowed(double limit, const Reference& reference, const Hypothesis& h) {
  return with_codes(limit, reference.coded ? 1 / std::max(mean_gain(h.range.gain), 1e-300) : 0);
}

}  // namespace edgeprobe::diagnose
