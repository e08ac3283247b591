// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/outputs/agreement.h"
#include "core/result.h"
#include "stats/interval.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// A part of a whole with its 95 % interval (Wilson).
struct Share {
  std::uint64_t part = 0, all = 0;
  stats::Interval ci95;
};

/// How a trace differs from the reference's, on the frames that both have.
struct Disagreement {
  std::uint64_t joined = 0;
  /// Frames whose first class is another one; only of classification.
  std::optional<Share> other_class;
  std::optional<double> p_value;  ///< Exact McNemar; only with labels.
  std::optional<double> output_distance;
  std::optional<stats::Interval> output_distance_ci95;
  OutputDistance kind = OutputDistance::kRelativeL2;
};

/// What one trace says about the deployment that it was recorded from.
struct TraceSummary {
  std::string file;                             ///< As it is shown; untrusted text.
  std::string model, configuration;             ///< Set by the caller; untrusted text.
  std::map<std::string, std::string> declared;  ///< Metadata "edgeprobe.run"; untrusted text.
  std::uint64_t frames = 0;
  /// The output with class scores; empty when there is none.
  std::string output;
  std::size_t classes = 0;
  /// Right ones of the labelled frames. top_k only for more than k classes.
  std::optional<Share> top1, top_k;
  std::size_t k = 5;
  /// Of what the app answered, where annotations are of another task than classes.
  std::optional<task::Evaluation> answers;
  std::uint64_t timed = 0;  ///< Frames with a latency.
  /// Of the invoke alone; linear between two frames, as numpy.percentile.
  std::optional<double> p50_ms, p90_ms;
  bool is_reference = false;
  std::optional<Disagreement> disagreement;
  std::vector<std::string> remarks;  ///< One sentence each.
};

/// Annotation of a frame; nothing when it is not known.
using AnnotationOf = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

/// Reads the class scores and latencies of every frame. kUsage when the trace holds neither model
/// outputs nor latencies, kCorrupt when it cannot be read.
Result<TraceSummary> summary_of(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                const task::Terms& terms = {});

/// What an agreement of outputs alone says of it; nothing when no frame or no output is in both.
/// Labels for the p value are the traces' own.
std::optional<Disagreement> disagreement_of(const Agreement& agreement);

}  // namespace edgeprobe::compare
