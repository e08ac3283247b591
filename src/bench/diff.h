#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/result.h"
#include "core/result.h"

namespace edgeprobe::bench {

struct DiffOptions {
  double threshold = 0.05;    ///< A change of the median below this share is none.
  double layer_floor = 0.01;  ///< A kernel counts when its change is at least this share of the whole inference in A.
  double significance = 0.05; ///< Of the adjusted p.
  bool force = false;         ///< Compare what should not be compared, with a warning.
};

enum class Change { kNone, kSlower, kFaster, kSmall };  ///< kSmall: significant, but below the layer floor.
const char* name(Change change);

/// One latency, or the time of one kernel, in both files.
struct Comparison {
  std::string what;
  std::vector<int> layers;
  double a = 0, b = 0;         ///< Medians, seconds.
  std::size_t runs_a = 0, runs_b = 0;
  Ratio ratio;                 ///< b / a.
  double p = 1, adjusted = 1;  ///< Mann-Whitney, two-sided; by Holm over the comparisons of its kind.
  double superiority = 0.5;    ///< Chance that a run of B takes longer than one of A.
  Change change = Change::kNone;
};

struct ConfigurationDiff {
  std::string name;
  bool quiet = false;          ///< Quiet runs alone were compared; else all.
  Comparison overall;
  std::optional<double> throughput_ratio;  ///< B / A, offline.
  std::vector<Comparison> kernels;
  std::vector<std::string> only_in_a, only_in_b;  ///< Kernels.
};

struct Diff {
  std::vector<ConfigurationDiff> configurations;
  std::vector<std::string> notes;
  std::size_t slower = 0;      ///< Comparisons that are regressions.
};

/// kUsage when the files are of different models or machines (unless `force`), or have no configuration in common.
Result<Diff> diff(const Results& a, const Results& b, const DiffOptions& options);

}  // namespace edgeprobe::bench
