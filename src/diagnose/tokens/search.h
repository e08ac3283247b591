// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/control.h"
#include "diagnose/tokens/explanation.h"

namespace edgeprobe::diagnose::tokens {

using search::SearchStatus;

/// The first id that differs in an unexplained frame.
struct FirstDifference {
  std::size_t observation = 0, place = 0;
  bool is_missing = false, is_further = false;  ///< One of the two rows is shorter.
  std::int64_t own = 0, recorded = 0;
};

struct Finding {
  SearchStatus status = SearchStatus::kUnknown;
  std::size_t frames = 0;
  std::vector<std::size_t> unlike;  ///< Indices of observations that differ from the reference.
  std::vector<std::string> unlike_inputs;  ///< "ids", "mask", "types", "positions".
  /// Most usual first, then equal ones. kPartial: only the nearest.
  std::vector<Explanation> explanations;
  FirstDifference first;
  /// A text that distinguishes the first two explanations; empty: none is known.
  std::string would_decide;
};

/// Searches for the app's deviations: up to three changes of the ids, one of each other input.
/// Fails as the tokenizer does on the unchanged texts, and with kInterrupted.
Result<Finding> search(Problem& problem, const Control& control);

}  // namespace edgeprobe::diagnose::tokens
