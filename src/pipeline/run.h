// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// Estimates the bytes that a run would write, so that the user can be asked first. `with_layers`:
/// the number of frames whose layers are captured; unset: all.
std::uint64_t expected_bytes(const Pipeline& pipeline, Level level, std::size_t frames,
                             std::optional<std::size_t> with_layers = {});

/// Runs every sample and writes the trace. The first pass runs the plain model (outputs, latency);
/// then one pass for each group of intermediates checks that the outputs did not move. Unreadable
/// samples are counted and skipped. An engine failure aborts the run and keeps the finished frames;
/// a stop takes effect after the current frame.
Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       const std::filesystem::path& trace_path, const RunOptions& options,
                       const Control& control = {});

}  // namespace edgeprobe::pipeline
