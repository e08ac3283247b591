// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "pipeline/run_options.h"
#include "trace/channel.h"

namespace edgeprobe::pipeline {

/// One encoded picture of a run on another machine.
struct PlannedSample {
  std::uint64_t bytes = 0;
  trace::FrameRecord record;  ///< Its name, its annotation, and whether it begins a sequence.
};

/// A run that another machine does: what `edgeprobe run` would be told there, beside the model and
/// the engine's options.
struct Plan {
  std::string recipe;  ///< "": the default of the model's input.
  RunOptions options;  ///< Without `replace`, `beside` and `frame_numbers`.
  std::vector<PlannedSample> samples;
};

std::string to_json(const Plan& plan);
/// kUsage for anything else than to_json() writes: the sentence names the key.
Result<Plan> plan_from_json(std::string_view text);

/// Of the run, for the one who asked for it.
std::string to_json(const RunSummary& summary);
/// kCorrupt as above.
Result<RunSummary> summary_from_json(std::string_view text);

}  // namespace edgeprobe::pipeline
