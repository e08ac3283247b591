// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/function/user_function.h"
#include "pipeline/run.h"

namespace edgeprobe::pipeline {

/// Runs every sample through a user's function alone and writes the trace: raw inputs, its named
/// stages, the model input and the outputs, as far as it gives them. For functions that run the
/// model themselves, or for looking at pre-processing without one. Of the options `level` and the
/// capture have no meaning here. Frames have no latency.
Result<RunSummary> run_function(UserFunction& function, const std::vector<dataset::Sample>& samples,
                                const std::filesystem::path& trace_path, const RunOptions& options,
                                const Control& control = {});

}  // namespace edgeprobe::pipeline
