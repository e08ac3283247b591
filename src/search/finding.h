// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "search/change.h"
#include "search/proof.h"

namespace edgeprobe::search {

enum class SearchStatus {
  kAgrees,      ///< The reference's recipe gives the answers of all frames.
  kExact,       ///< Another recipe does.
  kSomeFrames,  ///< Another does in the frames where the reference's does not.
  kPartial,     ///< The nearest recipe leaves a tenth of the distance at most.
  kUnknown,
};

/// Changes to the reference's recipe that give the recorded answers.
template <class Recipe>
struct Explanation {
  std::vector<Change<Recipe>> changes;
  double weight = 0;
  bool is_proven = false;  ///< Each of its changes predicts more than luck would.
  Proof proof;             ///< Of the change that has the least to spare.
  bool owes_ties = false;  ///< Some of the answers are right because their scores tie.
};

template <class Recipe>
struct Finding {
  SearchStatus status = SearchStatus::kAgrees;
  std::vector<Explanation<Recipe>> explanations;  ///< That fit equally, most usual first.
  std::size_t frames = 0;                         ///< With answers.
  std::vector<std::size_t> unlike;  ///< Places of frames that the reference does not explain.
  std::size_t worst = 0;            ///< Place of one of them.
  std::size_t evaluations = 0;

  /// The explanations give the answers, of all frames or of those that are unlike.
  bool is_explained() const {
    return status == SearchStatus::kExact || status == SearchStatus::kSomeFrames;
  }
};

}  // namespace edgeprobe::search
