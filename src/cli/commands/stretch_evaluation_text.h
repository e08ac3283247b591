// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/stretch_evaluation.h"
#include "placement/accuracy/comparison.h"

namespace edgeprobe::cli {

/// The result of `stretch evaluate`. The base, if any, is evaluations.front(), and `comparisons`
/// has one for each of the others.
struct EvaluationTable {
  std::vector<Evaluation> evaluations;
  bool has_base = false;
  std::vector<placement::Comparison> comparisons;
};

/// A row for each model, then a sentence for each comparison.
void write_evaluations(std::ostream& out, const EvaluationTable& table);
/// docs/reference/verbs.md describes the keys.
std::string to_json(const EvaluationTable& table);

}  // namespace edgeprobe::cli
