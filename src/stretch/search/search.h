// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "model/feeds.h"
#include "model/graph.h"
#include "stretch/plan.h"
#include "stretch/search/exactness.h"
#include "stretch/search/timing.h"

/// The search for the fastest way to run one model on several processors. All that it decides with
/// is measured; "do not branch" is an answer.
namespace edgeprobe::stretch {

struct SearchOptions {
  std::vector<Processor> processors;  ///< At least one.
  double seconds = 0.3;               ///< Of each measurement, behind its warm-up.
  std::size_t best = 3;               ///< Divisions that are measured from end to end.
  std::size_t rounds = 3;             ///< Processes of each of them and of each plain option.
  bool fresh = false;                 ///< Measures anew what the cache knows.
  std::filesystem::path folder;       ///< Of the model: where data outside its file may lie.
};

/// A way to run the model: an engine as it is, or a division into pieces.
struct Candidate {
  std::string name;  ///< "onnxruntime, 2 threads", "2 regions split over 2 processors".
  bool is_plain = false;
  Plan plan;                        ///< A plain option as a plan of one piece.
  std::optional<double> predicted;  ///< Seconds, from its pieces alone.
  std::vector<Timing> processes;    ///< One a round.
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
  std::string answer;  ///< One sentence.
  std::size_t pieces_measured = 0, pieces_known = 0;
};

/// kUsage for processors whose engine does not open the model; the errors of regions_of(), of the
/// engines where no plain option runs, and kInterrupted, after which the cache keeps what was
/// measured. `says` is told what happens, a line each.
Result<Found> search(const model::Graph& graph, ByteView file, const SearchOptions& options,
                     const std::function<void(const std::string&)>& says, const Control& control);

}  // namespace edgeprobe::stretch
