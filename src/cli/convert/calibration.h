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

/// The samples of `data` named by a calibration list, in its order: one name per line, as in
/// calibration.txt; lines that begin with '#' are comments. kUsage for an unknown name, for one of
/// the samples of the test, and for an empty list.
Result<std::vector<dataset::Sample>> listed_samples(const std::string& list, const DataFlags& data,
                                                    const std::vector<dataset::Sample>& test);

/// The samples that may calibrate, and the samples of the test, which may not.
struct CalibrationPool {
  std::vector<dataset::Sample> samples;
  std::vector<dataset::Sample> test;  ///< Empty without a split.
};
/// The samples of the check, or with a split the training part.
Result<CalibrationPool> calibration_pool(const DataFlags& data,
                                         const std::vector<dataset::Sample>& checked,
                                         Terminal& terminal);

/// kUsage if none of a model's inputs is float32: only such a model can be quantised.
Status check_float(const std::vector<TensorSpec>& inputs);

/// Writes the pipeline's result for each sample, frame after frame; returns their number. Unusable
/// samples are named on the terminal and left out.
Result<std::size_t> write_calibration(pipeline::Pipeline& pipeline,
                                      const std::vector<dataset::Sample>& samples,
                                      const std::filesystem::path& file, Terminal& terminal);

/// A --keep-float file in the converter's form (Conversion::keep_float). kUsage if it is not the
/// JSON list that the tool for that format expects.
Result<std::string> keep_float_from(const std::string& file, model::Format format);

}  // namespace edgeprobe::cli
