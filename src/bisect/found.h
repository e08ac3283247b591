// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Results of a search.
namespace edgeprobe::bisect {

/// Certainty that a unit is wrong.
enum class Certainty {
  kAlone,     ///< Wrong on the host's own tensors, without other operators.
  kTogether,  ///< Wrong only together with its neighbours; each is right by itself.
  /// Wrong only inside the whole model, according to the host's result on the device's tensors.
  kInside,
};
/// "alone", "together", "inside".
const char* name(Certainty certainty);

/// An operator that the device computes wrongly, or several that are only wrong together.
struct Wrong {
  int first = 0, last = 0;  ///< Units [first, last].
  Certainty certainty = Certainty::kAlone;
  double excess = 0;    ///< Error of its own result, in units of one operator's limit.
  double gap = 0;       ///< NRMSE of the outputs, with everything before it right.
  std::string refused;  ///< Reason if the device returns no result for it.
  /// Number of other operators of its type found wrong too, among those tried.
  std::size_t same_type = 0;
};

enum class Outcome {
  kEqual,   ///< The outputs are within one operator's limit of the host's.
  kFound,   ///< Some operators are wrong.
  kDrifts,  ///< No single operator is wrong: the arithmetic is less precise everywhere, or rounding
            ///< accumulates.
  kOpen,    ///< Undecided: the device refuses the decisive parts, or the user stopped.
};
/// "equal", "wrong_operators", "drifts", "open".
const char* name(Outcome outcome);

/// One device run, for the record.
struct Run {
  int from = 0, to = 0;  ///< Range of units.
  std::string refused;
  double excess = 0, gap = 0;
};

struct Found {
  Outcome outcome = Outcome::kOpen;
  std::vector<Wrong> wrong;  ///< In execution order.
  std::vector<Run> runs;
  /// Runs until the first wrong operator was found; 0: none was found.
  std::size_t runs_to_first = 0;
  double gap = 0, excess = 0;  ///< For the whole model.
  /// NRMSE of the outputs if the host computes all operators found and the device the rest; unset
  /// if not measured.
  std::optional<double> repaired_gap;
  /// With that repair, the outputs are within one operator's limit of the host's.
  bool repaired = false;
  /// Number of units run separately after the outputs drifted, and of those beyond their limit.
  std::size_t tried_alone = 0, beyond_alone = 0;
  std::vector<std::string> notes;
  bool stopped = false;
};

}  // namespace edgeprobe::bisect
