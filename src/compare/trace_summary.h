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

/// A fraction with its 95 % interval (Wilson).
struct Share {
  std::uint64_t part = 0, all = 0;
  stats::Interval ci95;
};

/// Difference of a trace from the reference's, on the frames that both have.
struct Disagreement {
  std::uint64_t joined = 0;
  /// Fraction of frames with another first class; only for classification.
  std::optional<Share> other_class;
  std::optional<double> p_value;  ///< Exact McNemar; only with labels.
  std::optional<double> output_distance;
  std::optional<stats::Interval> output_distance_ci95;
  OutputDistance kind = OutputDistance::kRelativeL2;
};

/// Summary of a trace's deployment.
struct TraceSummary {
  std::string file;                             ///< For display; untrusted text.
  std::string model, configuration;             ///< Set by the caller; untrusted text.
  std::map<std::string, std::string> declared;  ///< Metadata "edgeprobe.run"; untrusted text.
  std::uint64_t frames = 0;
  /// The output with class scores; empty if there is none.
  std::string output;
  std::size_t classes = 0;
  /// Fraction of the labelled frames that are correct. top_k only for more than k classes.
  std::optional<Share> top1, top_k;
  std::size_t k = 5;
  /// Metric of the app's answers if annotations belong to another task than classes.
  std::optional<task::Evaluation> answers;
  std::optional<task::MetricResult> metric;  ///< The user's; of the target only.
  std::uint64_t timed = 0;                   ///< Number of frames with a latency.
  /// Quantiles of the invoke's time only, interpolated linearly, like numpy.percentile.
  std::optional<double> p50_ms, p90_ms;
  bool is_reference = false;
  std::optional<Disagreement> disagreement;
  std::vector<std::string> remarks;  ///< One sentence each.
};

/// Returns the annotation of a frame; nothing if unknown.
using AnnotationOf = std::function<std::optional<task::Annotation>(const trace::FrameRecord&)>;

/// Reads the class scores and latencies of every frame. kUsage if the trace holds neither model
/// outputs nor latencies, or if `metric` fails, kCorrupt if it cannot be read.
Result<TraceSummary> summary_of(const trace::Reader& trace, const AnnotationOf& annotation_of,
                                const task::Terms& terms = {}, task::UserMetric* metric = nullptr);

/// Extracts the disagreement from an agreement of only the outputs; nothing if no frame or no
/// output is in both. Labels for the p value come from the traces.
std::optional<Disagreement> disagreement_of(const Agreement& agreement);

}  // namespace edgeprobe::compare
