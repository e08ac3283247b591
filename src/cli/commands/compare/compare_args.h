// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/json_flag.h"
#include "cli/options/ruling_flags.h"
#include "cli/options/truth_flags.h"

namespace edgeprobe::cli {

/// `edgeprobe compare REFERENCE.mcap TARGET.mcap`: two recorded traces, no model needed.
struct CompareArgs {
  std::string reference, target;
  /// A file of known right outputs; then `reference` is the trace to judge and `target` empty.
  std::string golden;
  /// Patterns of the layers to compare ('*' any run, '?' one byte); then all of those in execution
  /// order are shown instead of the `top` farthest. Empty: all are compared.
  std::vector<std::string> layers;
  std::string map;  ///< A file of tensor names that belong together (compare/align/names.h).
  std::size_t top = 10;
  bool by_frame_number = false;  ///< Join frames by number although both traces name their samples.
  /// Mean output distance (or largest relative L2, without outputs) that counts as agreement.
  /// Nothing: compare::output_floor().
  std::optional<double> floor;
  /// The first layer that differs is the first whose RMSE over range is above this; 0: beyond
  /// rounding.
  double first_above = 0;
  TruthFlags truth;  ///< Annotations in place of those in the traces.
  JsonFlag json;
  std::string html, images = "full";  ///< A page, and whether it holds pictures.
  std::string node_data;              ///< A file for Model Explorer.
  RulingFlags rulings;
};

}  // namespace edgeprobe::cli
