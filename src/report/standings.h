// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "compare/standing.h"

namespace edgeprobe::report {

/// A trace that is not in the table.
struct SkippedTrace {
  std::string file, why;  ///< Untrusted text.
};

/// The standings of a folder of traces.
struct Standings {
  std::string folder;     ///< As the user named it.
  std::string reference;  ///< Shown file of the reference; empty when there is none.
  /// One sentence: why it is this one, or why there is none.
  std::string reference_rule;
  std::vector<compare::Standing> rows;  ///< In the order of the table.
  std::vector<SkippedTrace> skipped;
};

/// Models by their best row, each with its configurations: the most accurate first, then the one
/// that disagrees least, then the fastest, then by name. With `by` "latency" or "name" that comes
/// first.
void sort_standings(std::vector<compare::Standing>& rows, const std::string& by);

/// One table of at most 100 columns, then remarks and what was skipped. Ends with one newline.
std::string render_standings_text(const Standings& standings);
/// The same and more for machines (docs/reference/verbs.md), "schema_version" 1. Ends with one
/// newline.
std::string render_standings_json(const Standings& standings);
/// One self-contained page in the style of the report.
std::string render_standings_html(const Standings& standings);

}  // namespace edgeprobe::report
