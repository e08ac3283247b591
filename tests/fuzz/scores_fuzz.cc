// SPDX-License-Identifier: Apache-2.0
// Any text as a table of scores: rows as wide as the head, or an error; fields of a line survive
// being quoted again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "compare/golden/scores_csv.h"
#include "core/csv.h"

using namespace edgeprobe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto table = compare::parse_scores(text)) {
    for (const compare::ScoreRow& row : table->rows)
      if (row.scores.size() != table->classes.size() || row.line == 0) std::abort();
  } else if (table.error().what.empty()) {
    std::abort();
  }
  std::size_t lines = 0;
  for (const std::string_view line : lines_of(text)) {
    if (++lines > 8) break;
    const auto fields = csv_fields(line);
    if (!fields) continue;
    std::string quoted;
    for (const std::string& field : *fields) {
      if (!quoted.empty()) quoted += ',';
      quoted += '"';
      for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
      quoted += '"';
    }
    const auto again = csv_fields(quoted);
    if (!again || *again != *fields) std::abort();
  }
  return 0;
}
