// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/control.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "trace/answer.h"
#include "trace/read/reader.h"

namespace edgeprobe::contract {

/// Compares recorded answers with those that the post-processing part of a recipe makes of recorded
/// outputs.
struct BehindReplay {
  std::uint64_t frames = 0, differing = 0;
  std::uint32_t first = 0;  ///< The first frame that differs.
  /// The differing part of that frame: as recorded, and as made by the recipe.
  std::string given, made;
  std::string reason;  ///< Reason if nothing could be judged, else empty.
};

/// `recipe`: text with a part after "||". Tolerances: a thousandth of a number, half a pixel for
/// places, one in 100 pixels of a mask; labels whose scores tie to 1e-5 may be in any order.
/// kInterrupted if stopped; fails if the trace or the recipe cannot be read.
Result<BehindReplay> replay_behind(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                   const std::string& recipe, const Control& control);

/// Difference of two answers: "labels cat, dog" and "labels dog, cat"; both empty if there is none.
struct AnswerDifference {
  std::string given, made;
  explicit operator bool() const { return !given.empty() || !made.empty(); }
};
AnswerDifference difference(const trace::Answer& given, const trace::Answer& made);

}  // namespace edgeprobe::contract
