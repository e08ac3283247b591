// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/graph.h"
#include "placement/search/exactness.h"
#include "placement/search/timing.h"
#include "stretch/flow.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// A way to run the model: an engine as it is, or a division into pieces.
struct Candidate {
  std::string name;  ///< "onnxruntime, 2 threads", "2 regions split over 2 processors".
  bool is_plain = false;
  /// What is divided: "regions", "tasks", "channels", "rows"; "" for a plain option and one that is
  /// kept. Predictions of one kind err alike.
  std::string kind;
  stretch::Plan plan;  ///< A plain option as a plan of one piece.
  /// Seconds, from its pieces, those that run at once measured at once; and as if each ran alone.
  std::optional<double> predicted, predicted_alone;
  std::vector<Timing> processes;  ///< One a round.
  /// Of the process with the least median; nothing when none was measured.
  std::optional<Timing> best;
  std::optional<Difference> difference;  ///< From the reference, the first plain option.
  std::string refused;                   ///< Why it is out: a sentence.
};

struct Found {
  std::vector<Candidate> candidates;  ///< The plain ones first.
  std::size_t chosen = 0;
  bool branches = false;  ///< Whether the chosen one is a division.
  /// The best plain option's time over that of the best division; nothing without one.
  std::optional<double> ratio;
  std::string answer;     ///< One sentence.
  std::string otherwise;  ///< Why there was no division to choose, where there was none.
  /// Seconds since 1970 at which the last of it was measured, and whether that was an earlier
  /// search.
  std::int64_t measured_at = 0;
  bool is_kept = false;
  std::size_t pieces_measured = 0, pieces_known = 0;
};

/// Of the process with the least median; nothing of none.
std::optional<Timing> fastest(const std::vector<Timing>& processes);

/// The model as one piece on this processor, named as people do.
Candidate plain_candidate(const model::Graph& graph, const stretch::Flow& flow,
                          const stretch::Processor& processor);

/// Candidates that further processes may yet show to be the fastest, and the fastest so far among
/// them, ascending: where intervals overlap that of the fastest and the medians differ by more than
/// a tie, or where processes of one of the two differ so much that its fastest may not have been
/// seen (memory lies elsewhere in each, and pools of threads have a slow and a fast mode, of which
/// less than eight processes may show one alone). Empty where nothing is open.
std::vector<std::size_t> undecided(const std::vector<Candidate>& candidates);

/// Chooses among the candidates that were measured and not refused, and says so: the fastest
/// division where its interval lies below that of the fastest plain option, else that option. At
/// least one plain one was measured. `otherwise`: why there is no division to choose, where there
/// is none.
void decide(Found& found, const std::string& otherwise);

/// Seconds since 1970 as "2026-11-27T10:02:00Z".
std::string moment_text(std::int64_t seconds);

/// What a search found as one JSON object (docs/reference/plan.md), for `found` of a plan and for
/// people's own programs; without the plans themselves.
std::string to_json(const Found& found);

}  // namespace edgeprobe::placement
