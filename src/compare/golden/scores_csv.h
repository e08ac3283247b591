// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace edgeprobe::compare {

/// Limits of a table of scores (docs/reference/limits.md).
inline constexpr std::size_t kMostCsvBytes = std::size_t{256} << 20, kMostCsvRows = 1'000'000,
                             kMostCsvColumns = 65536;

/// The scores of one sample.
struct ScoreRow {
  std::string sample;
  std::optional<int> label;
  std::vector<float> scores;
  std::size_t line = 0;  ///< Line number, from 1.
};

struct ScoreTable {
  std::vector<std::string> classes;  ///< Titles of the score columns, in their order.
  std::vector<ScoreRow> rows;
};

/// Reads a CSV table with the columns `sample` (or `file`), optionally `label` (class index; may be
/// empty), and one column of scores for each class, in the order of the model's output. Expects
/// commas, RFC 4180 quotes and a header line; skips blank lines and lines that start with '#'.
/// kCorrupt names the line and the column.
Result<ScoreTable> parse_scores(std::string_view text);

}  // namespace edgeprobe::compare
