// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diagnose/tokens/problem.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose::tokens {

/// The property that a change sets; changes of the same part exclude each other.
enum class Part {
  kText,
  kStep,
  kEdit,
  kTemplate,
  kPair,
  kShift,
  kSpecial,  ///< Both the first and the last special id.
  kFirst,
  kLast,
  kBetween,
  kCutSide,
  kCutSpecial,
  kLength,
  kPadSide,
  kPadId,
  kPadding,
  kMemory,
  kMask,
  kTypes,
  kFirstPosition,
  kPositionOfPadding,
  kKept,           ///< Data kept for the ids, or for all inputs.
  kKeptPositions,  ///< Data kept only for positions.
};

/// A possible deviation of an app from a front end.
struct Change {
  CauseKind kind = CauseKind::kUnknown;
  Part part = Part::kText;
  std::string words;     ///< "the app adds no SEP; the reference adds one".
  double weight = 1;     ///< 1 is usual; rare changes weigh more.
  double read_bits = 0;  ///< Bits spent on values read off the recording.
  std::function<void(FrontEnd&)> apply;
  bool is_of_order = false;  ///< Depends on the order of frames: reports the first one.
  std::vector<std::size_t> shown_by = {};  ///< Observations that differ without it; set by prove().
};

}  // namespace edgeprobe::diagnose::tokens
