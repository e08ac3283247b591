// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/trace_summary.h"
#include "report/text/fleet.h"

namespace edgeprobe::report {

/// A trace that is not in the table.
struct SkippedTrace {
  std::string file, why;  ///< Untrusted text.
};

/// One row for each trace in a folder.
struct TraceTable {
  std::string folder;     ///< As the user named it.
  std::string reference;  ///< File of the reference, as shown; empty if there is none.
  /// One sentence: why it was chosen, or why there is none.
  std::string reference_rule;
  std::vector<compare::TraceSummary> rows;  ///< In table order.
  std::vector<SkippedTrace> skipped;
  std::optional<Fleet> fleet = {};  ///< Empty if no trace shows whether its device fails.
};

/// Models by their best row, each with its configurations: the most accurate first, then the one
/// that disagrees least, then the fastest, then by name. `by` "latency" or "name" makes that the
/// first criterion.
void sort_summaries(std::vector<compare::TraceSummary>& rows, const std::string& by);

/// One table of at most 100 columns, then remarks and skipped traces. Ends with one newline.
std::string render_trace_table_text(const TraceTable& table);
/// Same and more for programs (docs/reference/verbs.md), "schema_version" 1. Ends with one newline.
std::string render_trace_table_json(const TraceTable& table);
/// One self-contained page in the style of the report.
std::string render_trace_table_html(const TraceTable& table);

}  // namespace edgeprobe::report
