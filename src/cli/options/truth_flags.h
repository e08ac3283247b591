// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/parser.h"
#include "compare/compare_traces.h"
#include "core/result.h"
#include "dataset/labels.h"
#include "task/answers/answer_task.h"

namespace edgeprobe::cli {

/// --labels, --classes and --boxes of a verb that reads traces alone.
struct TruthFlags {
  std::string labels, classes;
  std::string boxes = "xyxy,pixels";
};

/// All three.
void add_truth(Parser& parser, TruthFlags& flags);
/// --boxes.
void add_boxes(Parser& parser, std::string& boxes);

/// "xyxy,pixels"; kUsage names the flag.
Result<task::BoxForm> boxes_from(const std::string& text);

/// Annotations of frames by their samples' names: the exact one, or the file's own name where it
/// stands in no folder. `labels` outlives it.
compare::Truths truths_of(const dataset::Labels& labels);

/// What the flags say; labels are empty where none are given.
struct Truth {
  dataset::Labels labels;
  task::Terms terms;
};
Result<Truth> truth_from(const TruthFlags& flags);

}  // namespace edgeprobe::cli
