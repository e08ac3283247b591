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
  double threshold = 0.05;  ///< A smaller relative change of the median does not count.
  /// A kernel counts if its change is at least this share of the whole inference in A.
  double layer_floor = 0.01;
  double significance = stats::kAlpha;  ///< Threshold for the adjusted p.
  bool force = false;                   ///< Compare incompatible results anyway, with a warning.
};

enum class Change {
  kNone,
  kSlower,
  kFaster,
  kSmall,  ///< Significant, but below the layer floor.
  /// Process-to-process variation allows no conclusion about a change or its absence.
  kUnsure,
};
const char* name(Change change);

/// One latency, or the time of one kernel, on both sides.
struct Comparison {
  std::string what;
  std::vector<int> layers;
  /// Seconds: the medians of one process, or the medians over rounds of each process's median.
  double a = 0, b = 0;
  std::size_t runs_a = 0, runs_b = 0;
  std::vector<double> ratios;  ///< B / A in each round, with one process for each side.
  /// b / a; over several rounds their geometric mean with Student's interval.
  stats::Ratio ratio;
  /// Two-sided: Student's t of the rounds' log ratios, or Mann-Whitney for one round; adjusted by
  /// Holm over the comparisons of its kind.
  double p = 1, adjusted = 1;
  /// Fraction of rounds in which B took longer; for one round, the probability that a run of B
  /// takes longer than one of A.
  double probability_of_superiority = 0.5;
  Change change = Change::kNone;
};

struct ConfigurationDiff {
  std::string name;
  bool quiet = false;      ///< True if only quiet runs were compared; false: all.
  std::size_t rounds = 1;  ///< Number of processes on each side.
  Comparison overall;
  std::optional<double> throughput_ratio;  ///< B / A in the offline scenario; only for one round.
  std::vector<Comparison> kernels;
  std::vector<std::string> only_in_a, only_in_b;  ///< Kernels that only one side has.
};

/// One process of each side, run in succession or in turns.
struct Round {
  const Configuration* a = nullptr;
  const Configuration* b = nullptr;
  /// Ratio of the latencies, if known more precisely than from both medians.
  std::optional<double> ratio;
};

struct Diff {
  std::vector<ConfigurationDiff> configurations;
  std::vector<std::string> notes;
  std::size_t slower = 0;  ///< Number of comparisons that are regressions.
  /// Number of configurations, or of single kernels in one round, in which a regression can be
  /// neither found nor excluded.
  std::size_t undecided = 0;
};

/// Compares the rounds of one configuration. The variation between processes of the same model
/// (memory, neighbours, frequency) shows in the spread of the rounds' ratios; a single round cannot
/// reveal it, so then only a factor of two between quiet runs is accepted.
ConfigurationDiff compare_rounds(const std::vector<Round>& rounds, std::vector<std::string>& notes);
/// Judges the results of compare_rounds() for all configurations, with one correction for their
/// number.
void judge(Diff& diff, const DiffOptions& options);

/// Compares files of two sides, the i-th of A with the i-th of B. kUsage if their numbers differ,
/// if they are from different models or machines (unless `force`), or if they have no configuration
/// in common.
Result<Diff> diff(const std::vector<Results>& a, const std::vector<Results>& b,
                  const DiffOptions& options);

/// Differences in the engine or its options, one sentence each.
std::vector<std::string> other_engine(const Subject& a, const Subject& b);

}  // namespace edgeprobe::bench
