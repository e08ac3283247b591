// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/commands/check/judging.h"
#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "dataset/sample.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe check MODEL --recipe R --reference REF --reference-recipe R2 --data
/// DIR`: run, replay, compare, diagnose.
struct CheckArgs {
  PipelineFlags target, reference;
  DataFlags data;
  std::string golden;  ///< A file of golden outputs instead of a reference model.
  std::string level = "layers";
  /// Folder for target.mcap and reference.mcap; empty: a temporary one.
  std::string keep_traces;
  std::string max_size = "2GB";
  VerdictFlags verdict;
};

/// Runs `check` on all samples of the data except `left_out`; the verdict states their number.
Result<Outcome> run_without(const std::vector<dataset::Unreadable>& left_out, const CheckArgs& args,
                            Terminal& terminal);

}  // namespace edgeprobe::cli
