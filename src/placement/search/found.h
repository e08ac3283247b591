// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/graph.h"
#include "placement/search/evidence.h"
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
  std::vector<Timing> processes;         ///< One for each round.
  std::optional<Evidence> evidence;      ///< Over the processes; empty if none was measured.
  std::optional<Difference> difference;  ///< Relative to the reference, the first plain option.
  std::string refused;                   ///< Why it was excluded: a sentence.
};

struct Found {
  std::vector<Candidate> candidates;  ///< The plain options first.
  std::size_t chosen = 0;             ///< While undecided, the best plain option.
  bool branches = false;              ///< True if the chosen candidate is a division.
  bool decided = false;               ///< False if the timings support no answer.
  /// Time of the best plain option divided by that of the best division; empty without evidence of
  /// both.
  std::optional<double> ratio;
  std::string answer;     ///< One sentence.
  std::string otherwise;  ///< If there was no division to choose, the reason.
  /// Time of the last measurement, in seconds since 1970, and whether it was made by an earlier
  /// search.
  std::int64_t measured_at = 0;
  bool is_kept = false;
  std::size_t pieces_measured = 0, pieces_known = 0;
};

/// A candidate as a way to run the model.
Way way_of(const Candidate& candidate);
/// All of them; those that were refused without their processes, so they decide nothing.
std::vector<Way> ways_of(const std::vector<Candidate>& candidates);

/// The model as one piece on this processor, with a readable name.
Candidate plain_candidate(const model::Graph& graph, const stretch::Flow& flow,
                          const stretch::Processor& processor);

/// States what judge() makes of the measured candidates that were not refused: the fastest
/// division, the fastest plain option, or that neither is known to be faster. At least one plain
/// option was measured. `otherwise`: if there is no division to choose, the reason.
void decide(Found& found, const std::string& otherwise);

/// Formats seconds since 1970 as "2026-11-27T10:02:00Z".
std::string moment_text(std::int64_t seconds);

/// Result of a search as one JSON object (docs/reference/plan.md), for `found` in a plan and for
/// users' own programs; without the plans themselves.
std::string to_json(const Found& found);

}  // namespace edgeprobe::placement
