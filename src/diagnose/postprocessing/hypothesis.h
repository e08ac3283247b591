// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "diagnose/postprocessing/label_codes.h"
#include "postprocess/recipe.h"
#include "search/finding.h"

namespace edgeprobe::diagnose::postprocessing {

/// Parameters of a recipe; a change sets one or two of them.
enum Parameter : unsigned {
  kOutput = 1,
  kReading = 2,
  kActivation = 4,
  kSkip = 8,
  kOrder = 16,
  kMost = 32,
  kThreshold = 64,
  kPercent = 128,
  kTable = 256,
  kShift = 512,
  kPairing = 1024,
};

/// A label table that is not a reordering of the reference's.
struct TableEdit {
  enum class Kind { kLineLost, kLineAdded, kMap } kind = Kind::kMap;
  int from = 0;              ///< First class with an observed wrong label.
  int right = 0;             ///< Last class below `from` with an observed right label.
  std::map<int, int> label;  ///< Label code by class: for kMap, and for an added line.
  OwnTable own;              ///< kMap: the labels themselves.
};

/// How labels and scores of a rank are paired.
enum class Pairing {
  kSameClass,
  kRankForClass,    ///< Rank i gets the label of class i.
  kScoresUnsorted,  ///< Rank i gets the score of class i.
};

/// Range of thresholds consistent with the recorded answers: above `low`, up to `high`.
struct Bracket {
  double low = 0, high = 0;
};

/// A recipe that the app may have run.
struct Hypothesis {
  postprocess::Classification recipe;
  std::shared_ptr<const TableEdit> edit;  ///< Null: the recipe's table.
  Pairing pairing = Pairing::kSameClass;
  Bracket threshold;  ///< Set if a change sets the recipe's threshold.

  bool operator==(const Hypothesis& other) const {
    return recipe == other.recipe && edit == other.edit && pairing == other.pairing;
  }
};

/// Change::words is a key; words() makes text for people.
using Change = search::Change<Hypothesis>;
using search::SearchStatus;

}  // namespace edgeprobe::diagnose::postprocessing
