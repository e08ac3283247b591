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

/// Runs every sample through a user's function only and writes the trace: raw inputs, the
/// function's named stages, and the model input and outputs if it returns them. For functions that
/// run the model themselves, or for inspecting pre-processing without a model. The options `level`
/// and those for capture are ignored. Frames have no latency.
Result<RunSummary> run_function(UserFunction& function, const std::vector<dataset::Sample>& samples,
                                const std::filesystem::path& trace_path, const RunOptions& options,
                                const Control& control = {});

}  // namespace edgeprobe::pipeline
