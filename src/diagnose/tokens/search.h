// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/tokens/explanation.h"

namespace edgeprobe::diagnose::tokens {

using search::SearchStatus;

/// The first id that differs, in a frame without an explanation.
struct FirstDifference {
  std::size_t observation = 0, place = 0;
  bool is_missing = false, is_further = false;  ///< One of the two rows ends before.
  std::int64_t own = 0, recorded = 0;
};

struct Finding {
  SearchStatus status = SearchStatus::kUnknown;
  std::size_t frames = 0;
  std::vector<std::size_t> unlike;         ///< Observations that the reference makes otherwise.
  std::vector<std::string> unlike_inputs;  ///< "ids", "mask", "types", "positions".
  /// Most usual first; equal ones behind it. kPartial: the nearest alone.
  std::vector<Explanation> explanations;
  FirstDifference first;
  std::string would_decide;  ///< A text that tells the first two apart; empty: none is known.
};

/// What the app does otherwise. Up to three changes of the ids, one of each other input. Fails as
/// the tokenizer does on the texts as they are, and with kInterrupted.
Result<Finding> search(Problem& problem, const Control& control);

}  // namespace edgeprobe::diagnose::tokens
