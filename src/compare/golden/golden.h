// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

namespace edgeprobe::compare {

/// Summary of golden outputs converted to a reference trace.
struct GoldenReport {
  std::size_t frames = 0;            ///< Frames in the reference trace.
  std::vector<std::string> outputs;  ///< Names of the outputs.
  /// Description of the input: "one array for each output, frames in the target's order".
  std::string layout;
  std::string sha256;                 ///< Hash of the file.
  std::vector<std::string> warnings;  ///< Samples without a partner.
};

/// Converts a file of golden outputs to a trace that holds only the model outputs, for the frames
/// of `target` (docs/tutorials/own-reference.md).
///
/// - .csv: a table of scores (scores_csv.h), joined by sample name.
/// - .npz, one array for each output: keys are the target's output names (also "model_output/NAME",
///   as `trace export --npz` writes them; or the single key arr_0 if there is one output), and the
///   first dimension counts the frames. They are in the order of a list of names "samples", else of
///   the frame numbers "frames", else in the target's order; "labels" may hold class indices.
/// - .npz, one array for each sample: keys are sample names, values the output. Only for targets
///   with one output.
///
/// Integers of the target's own type are its codes; all other numbers are real values. kUsage or
/// kCorrupt names what does not fit, with the nearest name or the line.
Result<GoldenReport> golden_trace(const std::filesystem::path& file, const trace::Reader& target,
                                  const std::filesystem::path& trace);

}  // namespace edgeprobe::compare
