// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/options/data_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "model/format.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// The samples of `data` that a calibration list names, in its order: one name a line, as
/// calibration.txt has them; lines that begin with '#' are comments. kUsage for a name that is
/// none of theirs, and for a list without one.
Result<std::vector<dataset::Sample>> listed_samples(const std::string& list, const DataFlags& data);

/// Writes what the pipeline makes of each sample, frame after frame; how many there were. Samples
/// that cannot be used are named on the terminal and left out.
Result<std::size_t> write_calibration(pipeline::Pipeline& pipeline,
                                      const std::vector<dataset::Sample>& samples,
                                      const std::filesystem::path& file, Terminal& terminal);

/// A --keep-float file as the converter takes it (Conversion::keep_float). kUsage when it is not
/// the JSON list that the tool of that format has.
Result<std::string> keep_float_from(const std::string& file, model::Format format);

}  // namespace edgeprobe::cli
