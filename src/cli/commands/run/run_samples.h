// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/commands/run/run_measurements.h"
#include "cli/options/json_flag.h"
#include "cli/options/pipeline_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/run.h"

/// Shared by run and replay: runs frames through a pipeline into a trace.
namespace edgeprobe::cli {

/// kUsage if both --recipe and --pipeline are given.
Status one_source(const PipelineFlags& flags);

/// Where and how the trace and its reports are written.
struct RunOutput {
  std::string level, trace, max_size;
  bool force = false;
  JsonFlag json;
  MeasurementsOutput measurements;
  std::vector<std::string> inputs;  ///< Files that are read, so no output may replace them.
};

using Runner = std::function<Result<pipeline::RunSummary>(
    const std::filesystem::path&, const pipeline::RunOptions&, const Control&)>;

/// Records what `runner` makes of the frames, and summarises it.
Result<Outcome> run_samples(const Runner& runner,
                            const std::function<std::uint64_t(pipeline::Level)>& expected_bytes,
                            const RunOutput& output, pipeline::RunOptions options,
                            const std::string& title, Terminal& terminal);
/// The same for a pipeline and its samples.
Result<Outcome> run_samples(pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples, const RunOutput& output,
                            const pipeline::RunOptions& options, const std::string& title,
                            Terminal& terminal);

}  // namespace edgeprobe::cli
