// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "diagnose/tokens/problem.h"
#include "diagnose/verdict/words.h"

namespace edgeprobe::diagnose::tokens {

/// What a change sets; two changes of one part never go together.
enum class Part {
  kText,
  kStep,
  kEdit,
  kTemplate,
  kPair,
  kShift,
  kSpecial,  ///< First and last together.
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
  kKept,           ///< Of the ids, or of all inputs.
  kKeptPositions,  ///< Of positions alone.
};

/// What an app may do otherwise than a front end says.
struct Change {
  CauseKind kind = CauseKind::kUnknown;
  Part part = Part::kText;
  std::string words;     ///< "the app adds no SEP; the reference adds one".
  double weight = 1;     ///< 1 usual, more for what is rare.
  double read_bits = 0;  ///< Bits of the numbers that were read off the recording.
  std::function<void(FrontEnd&)> apply;
  bool is_of_order = false;  ///< Of frames that follow each other: the first of them is told.
  std::vector<std::size_t> shown_by = {};  ///< Observations that differ without it; set by prove().
};

}  // namespace edgeprobe::diagnose::tokens
