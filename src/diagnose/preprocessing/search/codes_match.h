// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "diagnose/preprocessing/search/hypothesis.h"

namespace edgeprobe::diagnose {

/// Codes of an integer input, counted.
struct CodeCounts {
  std::size_t distinct = 0;
  double at_ends = 0;  ///< Fraction of codes at the ends of the type's range.
  float commonest = 0;
};
CodeCounts counts_of(const std::vector<float>& codes, const Reference& reference);

/// How well a hypothesis predicts the recorded codes of a frame.
struct CodesMatch {
  double stray = 1;        ///< Fraction of codes beyond the noise of a decoder.
  double rare = 0;         ///< Fraction of the rarer codes that are predicted exactly.
  std::size_t n = 0;       ///< Number of recorded codes other than the commonest.
  bool all_equal = false;  ///< Every code is predicted exactly.

  bool fits(bool is_lossy) const;
};
/// `pixels`: those of the hypothesis; `commonest`: of the frame's stored codes.
CodesMatch match(const preprocess::Raster& pixels, const Frame& frame, const Reference& reference,
                 const Hypothesis& h, float commonest);

/// The way in which real values became these codes without the model's scale and zero point, as a
/// range: rare unless truncated, as by a cast in C. Nothing if there is none.
std::optional<Range> cast_of(const Frame& frame, const Reference& reference, float commonest);

}  // namespace edgeprobe::diagnose
