// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/fix/fix_flags.h"
#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// How check and diagnose answer.
struct VerdictFlags {
  std::string gate = "outputs";       ///< "outputs" or "accuracy": what makes "differs".
  std::string boxes = "xyxy,pixels";  ///< What the numbers of an app's boxes are.
  JsonFlag json;
  std::string html;              ///< A file for the page.
  std::string images = "full";   ///< Pictures in the page: "full" or "none".
  std::size_t max_replay = 500;  ///< Frames that counterfactual replays use, evenly spread.
  double first_above = 0;        ///< As check::Judgement; 0: not given.
  FixFlags fix;
};

/// `edgeprobe check MODEL --recipe R --reference REF --reference-recipe R2 --data DIR`: run,
/// replay, compare, diagnose.
struct CheckArgs {
  PipelineFlags target, reference;
  DataFlags data;
  std::string golden;  ///< A file of known right outputs instead of a reference model.
  std::string level = "layers";
  /// A folder for target.mcap and reference.mcap; empty: a temporary one.
  std::string keep_traces;
  std::string max_size = "2GB";
  VerdictFlags verdict;
};
Result<Outcome> run(const CheckArgs& args, Terminal& terminal);

/// `edgeprobe diagnose t.mcap --reference MODEL --reference-recipe R`: why does this trace differ?
struct DiagnoseArgs {
  std::string target;       ///< The trace to explain.
  PipelineFlags reference;  ///< Empty: no replay, only `reference_trace` or `golden`.
  std::string reference_trace;
  std::string golden;  ///< A file of known right outputs.
  /// The target's own model, for `restored`; model.model may be empty.
  PipelineFlags model;
  DataFlags data;  ///< Raw inputs and labels that the trace does not hold.
  VerdictFlags verdict;
};
Result<Outcome> run(const DiagnoseArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
