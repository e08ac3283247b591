// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "dataset/sample.h"
#include "pipeline/run_options.h"
#include "pipeline/spec.h"

namespace edgeprobe::pipeline {

/// Bytes that a run would write, for asking first.
std::uint64_t expected_bytes(const Pipeline& pipeline, Level level, std::size_t frames);

/// Runs every sample and writes the trace. The first pass is the plain model (outputs, latency);
/// then one pass for each group of intermediates, each proving that the outputs did not move.
/// Unreadable samples are counted and left out; an engine failure ends the run and keeps what is
/// done. A stop ends it after the current frame.
Result<RunSummary> run(Pipeline& pipeline, const std::vector<dataset::Sample>& samples,
                       const std::filesystem::path& trace_path, const RunOptions& options,
                       const Control& control = {});

/// What one sample became, without a trace: for counterfactual replays. For models with one input.
struct Answer {
  Tensor input;
  std::vector<Tensor> outputs;
};
Result<Answer> answer(Pipeline& pipeline, const preprocess::Recipe& recipe,
                      const preprocess::Image& image);
/// The same with the recorded bytes at hand, which a recipe that begins with decode(…) needs.
Result<Answer> answer(Pipeline& pipeline, const preprocess::Recipe& recipe,
                      const dataset::RawInput& raw);

}  // namespace edgeprobe::pipeline
