// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/options/parser.h"
#include "compare/compare_traces.h"
#include "core/result.h"
#include "dataset/labels.h"
#include "task/answers/answer_task.h"
#include "task/user_metric.h"

namespace edgeprobe::cli {

/// --labels, --classes and --boxes of a verb that reads only traces.
struct TruthFlags {
  std::string labels, classes;
  std::string boxes = "xyxy,pixels";
};

/// All three.
void add_truth(Parser& parser, TruthFlags& flags);
/// --boxes.
void add_boxes(Parser& parser, std::string& boxes);

/// Parses the value of --boxes, such as "xyxy,pixels". kUsage names the flag.
Result<task::BoxForm> boxes_from(const std::string& text);

/// Annotations of frames by their samples' names: the exact name, or the file name if the
/// annotation has no folder. `labels` must outlive it.
compare::Truths truths_of(const dataset::Labels& labels);

/// Result of the flags; labels are empty if none are given.
struct Truth {
  dataset::Labels labels;
  task::Terms terms;
  std::shared_ptr<task::UserMetric> metric = nullptr;  ///< Set by the caller; may be null.
};
Result<Truth> truth_from(const TruthFlags& flags);

}  // namespace edgeprobe::cli
