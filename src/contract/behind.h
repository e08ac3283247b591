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

/// Whether recorded answers are what a recipe's half behind the model makes of recorded outputs.
struct BehindReplay {
  std::uint64_t frames = 0, differing = 0;
  std::uint32_t first = 0;  ///< Frame of the first that differs.
  std::string given, made;  ///< Of that frame: the part that differs, as recorded and as made.
  std::string reason;       ///< Why nothing could be judged; empty: frames were.
};

/// `recipe`: text with a half behind "||". Numbers may differ by a thousandth of their size, places
/// by half a pixel, masks in one pixel of 100; labels whose scores tie to 1e-5 may be in any order.
/// kInterrupted when stopped; fails when the trace or the recipe cannot be read.
Result<BehindReplay> replay_behind(const trace::Reader& trace, const pipeline::TraceSamples& raw,
                                   const std::string& recipe, const Control& control);

/// What differs between two answers, "" for nothing: "labels cat, dog" and "labels dog, cat".
struct AnswerDifference {
  std::string given, made;
  explicit operator bool() const { return !given.empty() || !made.empty(); }
};
AnswerDifference difference(const trace::Answer& given, const trace::Answer& made);

}  // namespace edgeprobe::contract
