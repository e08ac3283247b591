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

/// Does run() on the machine at `spec.engine.address`: decoding, recipe, engine and layers run
/// there, and its trace comes back while it grows. `samples` are pictures. If the connection is
/// cut, the run stops and the trace keeps the frames received. kUsage names any part of `spec` that
/// cannot run remotely.
Result<RunSummary> run_there(const PipelineSpec& spec, const std::vector<dataset::Sample>& samples,
                             const std::filesystem::path& trace_path, const RunOptions& options,
                             const Control& control = {});

}  // namespace edgeprobe::pipeline
