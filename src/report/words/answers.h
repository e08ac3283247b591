// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/outputs/agreement.h"

namespace edgeprobe::report {

/// A line of a block of figures: what it is of, and the figure in words.
using FigureLines = std::vector<std::pair<std::string, std::string>>;

/// What recorded answers say: how they agree, each side's metric with its interval, the difference
/// and its test, the metric's other figures. Printable.
FigureLines answer_lines(const compare::AnswerAgreement& answers);

/// The class table as rows of cells, a head first; classes that lost most come first, at most
/// `most` of them, and a last row says how many more there are. Empty without classes. Printable.
std::vector<std::vector<std::string>> class_table(const task::Evaluation& evaluation,
                                                  std::size_t most);

}  // namespace edgeprobe::report
