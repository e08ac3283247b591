// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "lint/lint.h"

namespace edgeprobe::cli {

/// "#12 Concat 'join': …": position and finding.
std::string lint_sentence(const model::Graph& graph, const lint::Finding& one);
/// One line per finding, faults first, at most four per rule, and the totals.
void write_lint(std::ostream& out, const model::Graph& graph,
                const std::vector<lint::Finding>& found);
/// A list of {rule, level, layer, op_type, node, tensor, text}, in the order of the findings.
nlohmann::ordered_json lint_json(const model::Graph& graph,
                                 const std::vector<lint::Finding>& found);

}  // namespace edgeprobe::cli
