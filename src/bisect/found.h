// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What a search finds.
namespace edgeprobe::bisect {

/// How sure it is that a unit is wrong.
enum class Certainty {
  kAlone,     ///< Wrong on the host's own tensors, with no other operator beside it.
  kTogether,  ///< Wrong only with its neighbours: each alone is right.
  kInside,    ///< Wrong inside the whole model alone, by the host's result on the device's tensors.
};
/// "alone", "together", "inside".
const char* name(Certainty certainty);

/// An operator that the device computes wrongly, or several that it only gets wrong together.
struct Wrong {
  int first = 0, last = 0;  ///< Units [first, last].
  Certainty certainty = Certainty::kAlone;
  double excess = 0;    ///< Of its own result, in units of one operator's limit.
  double gap = 0;       ///< Of the outputs, with everything before it right.
  std::string refused;  ///< The device gives nothing for it: why.
  /// Other operators of its type that are wrong as well, of those that were tried.
  std::size_t same_type = 0;
};

enum class Outcome {
  kEqual,   ///< The outputs lie within one operator's limit of the host's.
  kFound,   ///< Some operators are wrong.
  kDrifts,  ///< No single operator: less precise arithmetic everywhere, or rounding that adds up.
  kOpen,    ///< Not told: the device refuses the parts that would tell, or the user stopped.
};
/// "equal", "wrong_operators", "drifts", "open".
const char* name(Outcome outcome);

/// One device run, in words for the record.
struct Run {
  int from = 0, to = 0;  ///< Units.
  std::string refused;
  double excess = 0, gap = 0;
};

struct Found {
  Outcome outcome = Outcome::kOpen;
  std::vector<Wrong> wrong;  ///< In the order of execution.
  std::vector<Run> runs;
  std::size_t runs_to_first = 0;  ///< Runs until the first wrong operator was named; 0: none.
  double gap = 0, excess = 0;     ///< Of the whole model.
  /// Of the outputs with the host's results in the places of all found operators, by a run of the
  /// device around them; nothing where that was not measured.
  std::optional<double> repaired_gap;
  bool repaired = false;  ///< These outputs lie within one operator's limit of the host's.
  /// Units that were tried alone after the outputs drifted, and how many of them are beyond their
  /// limit.
  std::size_t tried_alone = 0, beyond_alone = 0;
  std::vector<std::string> notes;
  bool stopped = false;
};

}  // namespace edgeprobe::bisect
