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

/// One encoded picture in a run on another machine.
struct PlannedSample {
  std::uint64_t bytes = 0;
  /// Contains its name, its annotation, and whether it begins a sequence.
  trace::FrameRecord record;
};

/// A run for another machine: the arguments of `edgeprobe run` there, except the model and the
/// engine's options.
struct Plan {
  std::string recipe;  ///< "": the default recipe of the model's input.
  RunOptions options;  ///< Except `replace`, `beside` and `frame_numbers`.
  std::vector<PlannedSample> samples;
};

std::string to_json(const Plan& plan);
/// kUsage for anything that to_json() does not write; the message names the key.
Result<Plan> plan_from_json(std::string_view text);

/// Summary of the run, sent to the client that requested it.
std::string to_json(const RunSummary& summary);
/// kCorrupt in the cases where plan_from_json() returns kUsage.
Result<RunSummary> summary_from_json(std::string_view text);

}  // namespace edgeprobe::pipeline
