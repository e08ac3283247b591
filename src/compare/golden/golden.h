// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// Golden outputs that became a reference trace.
struct GoldenReport {
  std::size_t frames = 0;            ///< In the reference trace.
  std::vector<std::string> outputs;  ///< Their names.
  /// What was read, in words: "one array for each output, frames in the target's order".
  std::string layout;
  std::string sha256;                 ///< Of the file.
  std::vector<std::string> warnings;  ///< Samples without a partner.
};

/// Turns a file of known right answers into a trace that holds the model outputs alone, for the
/// frames of `target` (docs/tutorials/own-reference.md).
///
/// .csv: a table of scores (scores_csv.h), joined by the sample's name.
/// .npz, one array for each output: keys are the target's output names (also "model_output/NAME",
/// as `trace export --npz`
///   writes them; or the single key arr_0 when there is one output), the first dimension counts the
///   frames. They are in the order of a list of names "samples", else of the frame numbers
///   "frames", else in the target's order; "labels" may hold class indices.
/// .npz, one array for each sample: keys are sample names, values the output. Only for targets with
/// one output.
///
/// Integers of the target's own type are its codes; all other numbers are real values. kUsage or
/// kCorrupt says what does not fit, with the nearest name or the line.
Result<GoldenReport> golden_trace(const std::filesystem::path& file, const trace::Reader& target,
                                  const std::filesystem::path& trace);

}  // namespace edgeprobe::compare
