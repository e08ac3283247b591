// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/json_flag.h"
#include "cli/options/metric_flag.h"
#include "cli/options/ruling_flags.h"
#include "cli/options/truth_flags.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe compare REFERENCE.mcap TARGET.mcap`: compares two recorded traces
/// without a model.
struct CompareArgs {
  std::string reference, target;
  /// A file of golden outputs; then `reference` is the trace to judge and `target` is empty.
  std::string golden;
  /// Patterns of the layers to compare ('*' any run, '?' one byte); with patterns, all matches are
  /// shown in execution order instead of the `top` farthest. Empty: all are compared.
  std::vector<std::string> layers;
  std::string map;  ///< A file that maps tensor names of the two sides (compare/align/names.h).
  std::size_t top = 10;
  bool by_frame_number = false;  ///< Join frames by number even if both traces name their samples.
  /// Mean output distance (or largest relative L2, without outputs) that counts as agreement.
  /// Unset: compare::output_floor().
  std::optional<double> floor;
  /// The first differing layer is the first whose RMSE over range exceeds this; 0: beyond rounding.
  double first_above = 0;
  TruthFlags truth;  ///< Annotations that replace those in the traces.
  MetricFlag metric;
  JsonFlag json;
  std::string html,
      images = "full";    ///< File for the HTML page, and whether the page contains pictures.
  std::string node_data;  ///< File for Model Explorer.
  RulingFlags rulings;
};

}  // namespace edgeprobe::cli
