// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// run() on the machine of `spec.engine.address`: decoding, recipe, engine and layers are its own,
/// and its trace comes back while it grows. `samples` are pictures. A connection that is cut ends
/// it, and the trace keeps what has come. kUsage names what of `spec` stays on this machine.
Result<RunSummary> run_there(const PipelineSpec& spec, const std::vector<dataset::Sample>& samples,
                             const std::filesystem::path& trace_path, const RunOptions& options,
                             const Control& control = {});

}  // namespace edgeprobe::pipeline
