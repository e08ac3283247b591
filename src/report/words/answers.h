// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/outputs/agreement.h"

namespace edgeprobe::report {

/// A line in a block of figures: its label, and the figure in words.
using FigureLines = std::vector<std::pair<std::string, std::string>>;

/// Results of comparing recorded answers: agreement, each side's metric with its interval, the
/// difference and its test, the metric's further figures. Printable.
FigureLines answer_lines(const compare::AnswerAgreement& answers);

/// A user's metric: each side with its interval, the difference and its test. Printable.
FigureLines metric_lines(const task::MetricResult& metric);

/// The class table as rows of cells, with a header; classes that lost most come first, at most
/// `most` of them, and a last row counts the others. Empty without classes. Printable.
std::vector<std::vector<std::string>> class_table(const task::Evaluation& evaluation,
                                                  std::size_t most);

}  // namespace edgeprobe::report
