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

/// A way to run the model: an unmodified engine, or a division into pieces.
struct Candidate {
  std::string name;  ///< "onnxruntime, 2 threads", "2 regions split over 2 processors".
  bool is_plain = false;
  /// The kind of division: "regions", "tasks", "channels", "rows"; "" for a plain option and for a
  /// stored result. Predictions of one kind have similar errors.
  std::string kind;
  stretch::Plan plan;  ///< A plain option is a plan with one piece.
  /// Predicted seconds, from its pieces: with parallel pieces measured in parallel, and with each
  /// measured separately.
  std::optional<double> predicted, predicted_alone;
  std::vector<Timing> processes;  ///< One for each round.
  /// From the process with the lowest median; empty if none was measured.
  std::optional<Timing> best;
  std::optional<Difference> difference;  ///< Relative to the reference, the first plain option.
  std::string refused;                   ///< Why it was excluded: a sentence.
};

struct Found {
  std::vector<Candidate> candidates;  ///< The plain options first.
  std::size_t chosen = 0;
  bool branches = false;  ///< True if the chosen candidate is a division.
  /// Time of the best plain option divided by that of the best division; empty without a division.
  std::optional<double> ratio;
  std::string answer;     ///< One sentence.
  std::string otherwise;  ///< If there was no division to choose, the reason.
  /// Time of the last measurement, in seconds since 1970, and whether it was made by an earlier
  /// search.
  std::int64_t measured_at = 0;
  bool is_kept = false;
  std::size_t pieces_measured = 0, pieces_known = 0;
};

/// The process with the lowest median; empty for no processes.
std::optional<Timing> fastest(const std::vector<Timing>& processes);

/// The model as one piece on this processor, with a readable name.
Candidate plain_candidate(const model::Graph& graph, const stretch::Flow& flow,
                          const stretch::Processor& processor);

/// Candidates that may turn out to be the fastest after more processes, including the current best,
/// ascending. Their interval overlaps the best one's while the medians differ by more than a tie,
/// or their processes vary so much that the fastest may not have been observed: memory placement
/// differs for each process, and thread pools have a slow and a fast mode, of which fewer than
/// eight processes may show only one. Empty if nothing is open.
std::vector<std::size_t> undecided(const std::vector<Candidate>& candidates);

/// Chooses among the measured candidates that were not refused, and states the result: the fastest
/// division if its interval is below that of the fastest plain option; if not, that option. At
/// least one plain option was measured. `otherwise`: if there is no division to choose, the reason.
void decide(Found& found, const std::string& otherwise);

/// Formats seconds since 1970 as "2026-11-27T10:02:00Z".
std::string moment_text(std::int64_t seconds);

/// Result of a search as one JSON object (docs/reference/plan.md), for `found` in a plan and for
/// users' own programs; without the plans themselves.
std::string to_json(const Found& found);

}  // namespace edgeprobe::placement
