// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "search/change.h"
#include "search/proof.h"

namespace edgeprobe::search {

enum class SearchStatus {
  kAgrees,      ///< The reference's recipe reproduces the answers of all frames.
  kExact,       ///< Another recipe reproduces them.
  kSomeFrames,  ///< Another recipe reproduces the frames that the reference's does not.
  kPartial,     ///< The nearest recipe leaves at most a tenth of the distance.
  kUnknown,
};

/// Changes to the reference's recipe that reproduce the recorded answers.
template <class Recipe>
struct Explanation {
  std::vector<Change<Recipe>> changes;
  double weight = 0;
  bool is_proven = false;  ///< Each change predicts more than chance would.
  Proof proof;             ///< Proof of the change with the smallest margin.
  bool owes_ties = false;  ///< Some answers match only because scores tie.
};

template <class Recipe>
struct Finding {
  SearchStatus status = SearchStatus::kAgrees;
  std::vector<Explanation<Recipe>> explanations;  ///< All fit equally well; the most common one
                                                  ///< first.
  std::size_t frames = 0;                         ///< Frames with answers.
  std::vector<std::size_t> unlike;  ///< Indices of the frames that the reference does not explain.
  std::size_t worst = 0;            ///< Index of the worst of them.
  std::size_t evaluations = 0;

  /// True if the explanations reproduce the answers of all frames, or of those that differ.
  bool is_explained() const {
    return status == SearchStatus::kExact || status == SearchStatus::kSomeFrames;
  }
};

}  // namespace edgeprobe::search
