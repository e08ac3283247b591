// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "postprocess/recipe.h"

namespace edgeprobe::diagnose::postprocessing {

/// Parameters of a recipe; a change sets one or two of them, no two changes the same one.
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

/// A label table that is no reordering of the reference's.
struct TableEdit {
  enum class Kind { kLineLost, kLineAdded, kMap } kind = Kind::kMap;
  int from = 0;              ///< First class whose label is seen to be off.
  int right = 0;             ///< Last class below it whose label is seen to be right.
  std::map<int, int> label;  ///< Code of the label by class: kMap, and of a line that was added.
};

/// How labels and scores of one rank belong together.
enum class Pairing {
  kSameClass,
  kRankForClass,    ///< Rank i gets the label of class i.
  kScoresUnsorted,  ///< Rank i gets the score of class i.
};

/// A recipe that the app may have run.
struct Hypothesis {
  postprocess::Classification recipe;
  std::shared_ptr<const TableEdit> edit;  ///< Null: the table is as the recipe says.
  Pairing pairing = Pairing::kSameClass;
  unsigned touched = 0;  ///< Parameters that changes have set.
};

/// One difference to the reference's recipe.
struct Change {
  unsigned sets = 0;  ///< Parameters.
  double weight = 1;  ///< Smaller: more usual.
  std::string key;    ///< Equal for equal changes.

  // Values of what it sets.
  std::size_t output = 0, skip = 0;
  postprocess::Reading reading{};
  std::vector<postprocess::Activation> activations;
  postprocess::Order order{};
  std::optional<std::size_t> most;
  std::optional<double> threshold;
  double low = 0, high = 0;  ///< Thresholds that these frames allow: above `low`, up to `high`.
  postprocess::TableOrder table{};
  int shift = 0;
  std::shared_ptr<const TableEdit> edit;
  Pairing pairing{};
};

/// The hypothesis with the change; nothing when it touches what an earlier change has set, or sets
/// what is there already.
std::optional<Hypothesis> with(const Hypothesis& hypothesis, const Change& change);

}  // namespace edgeprobe::diagnose::postprocessing
