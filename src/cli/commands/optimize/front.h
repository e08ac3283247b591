// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stats/quantile.h"

namespace edgeprobe::cli {

/// A chain of conversions with its measurements, or the reason why there are none.
struct ChainRow {
  std::vector<std::string> links;  ///< Empty: the source itself.
  std::string failed;              ///< Empty: it was measured.
  std::string file;
  std::uint64_t bytes = 0;
  stats::Quantile latency_ms;       ///< The median.
  std::optional<double> accuracy;   ///< Without labels unset.
  std::optional<double> low, high;  ///< The 95 % interval of `accuracy`.
  double distance = 0;              ///< Of the outputs from the source's.
  std::string verdict;              ///< Of the result against the source.
  bool is_best = false;             ///< On the Pareto front.

  /// "prune?sparsity=0.5, int8", or "(the source)".
  std::string text() const;
};

/// Sets `is_best`: no other row is at least as small, as fast and as good, and better in one of
/// these beyond doubt. Medians whose intervals overlap count as equally fast. "Good" is the
/// accuracy, or without labels a small distance from the source.
void mark_front(std::vector<ChainRow>& rows);

/// The rows as a table, the front marked with '*'.
std::string front_table(const std::vector<ChainRow>& rows);
/// Latency across, accuracy or distance up, size as area; the front in another colour.
std::string front_picture(const std::vector<ChainRow>& rows, const std::string& model);
nlohmann::ordered_json front_json(const std::vector<ChainRow>& rows);

}  // namespace edgeprobe::cli
