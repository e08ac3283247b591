// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/result.h"
#include "core/result.h"
#include "stats/bootstrap.h"
#include "stats/significance.h"

namespace edgeprobe::bench {

struct DiffOptions {
  double threshold = 0.05;  ///< A change of the median below this share is none.
  /// A kernel counts when its change is at least this share of the whole inference in A.
  double layer_floor = 0.01;
  double significance = stats::kAlpha;  ///< Of the adjusted p.
  bool force = false;                   ///< Compare what should not be compared, with a warning.
};

enum class Change {
  kNone,
  kSlower,
  kFaster,
  kSmall,  ///< Significant, but below the layer floor.
  /// Neither a change nor its absence can be told from what differs between two processes.
  kUnsure,
};
const char* name(Change change);

/// One latency, or the time of one kernel, on both sides.
struct Comparison {
  std::string what;
  std::vector<int> layers;
  /// Seconds: the medians of one process, or the medians over the rounds of each process's median.
  double a = 0, b = 0;
  std::size_t runs_a = 0, runs_b = 0;
  std::vector<double> ratios;  ///< B / A in each round, a process of each.
  stats::Ratio ratio;          ///< b / a; over rounds their geometric mean with Student's interval.
  /// Two-sided: Student's t of the rounds' log ratios, of one round Mann-Whitney; by Holm over the
  /// comparisons of its kind.
  double p = 1, adjusted = 1;
  /// Fraction of the rounds in which B took longer; of one round the chance that a run of B takes
  /// longer than one of A.
  double probability_of_superiority = 0.5;
  Change change = Change::kNone;
};

struct ConfigurationDiff {
  std::string name;
  bool quiet = false;      ///< Quiet runs alone were compared; else all.
  std::size_t rounds = 1;  ///< Processes on each side.
  Comparison overall;
  std::optional<double> throughput_ratio;  ///< B / A, offline; of one round.
  std::vector<Comparison> kernels;
  std::vector<std::string> only_in_a, only_in_b;  ///< Kernels.
};

/// A process of each side, one soon after the other or in turns with it.
struct Round {
  const Configuration* a = nullptr;
  const Configuration* b = nullptr;
  /// Of the latencies, where it is known better than by the two medians.
  std::optional<double> ratio;
};

struct Diff {
  std::vector<ConfigurationDiff> configurations;
  std::vector<std::string> notes;
  std::size_t slower = 0;  ///< Comparisons that are regressions.
  /// Configurations, or single kernels of one round, of which no regression can be told or
  /// excluded.
  std::size_t undecided = 0;
};

/// Compares the rounds of one configuration. What differs between two processes of the same model
/// (memory, neighbours, frequency) is seen in how the rounds' ratios differ; a single round knows
/// nothing of it, and only a factor of two between quiet runs is believed then.
ConfigurationDiff compare_rounds(const std::vector<Round>& rounds, std::vector<std::string>& notes);
/// Judges what compare_rounds() gave for all configurations, which share one correction for their
/// number.
void judge(Diff& diff, const DiffOptions& options);

/// Files of the two sides, the i-th of A with the i-th of B. kUsage when they are not as many, of
/// different models or machines (unless `force`), or have no configuration in common.
Result<Diff> diff(const std::vector<Results>& a, const std::vector<Results>& b,
                  const DiffOptions& options);

/// What differs in the engine or its options, one sentence each.
std::vector<std::string> other_engine(const Subject& a, const Subject& b);

}  // namespace edgeprobe::bench
