// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/optimize/front.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tables/columns.h"
#include "core/text.h"
#include "report/measured/chart.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::ordered_json;

/// -1: `a` is smaller beyond doubt, 1: larger, 0: it cannot be decided.
int compared(const stats::Quantile& a, const stats::Quantile& b) {
  // Too few runs for an interval decide nothing.
  if (!a.low || !a.high || !b.low || !b.high) return 0;
  if (*a.high < *b.low) return -1;
  return *b.high < *a.low ? 1 : 0;
}

/// The larger, the better.
double quality(const ChainRow& row) { return row.accuracy ? *row.accuracy : -row.distance; }

bool dominates(const ChainRow& a, const ChainRow& b) {
  const int time = compared(a.latency_ms, b.latency_ms);
  if (time > 0 || a.bytes > b.bytes || quality(a) < quality(b)) return false;
  return time < 0 || a.bytes < b.bytes || quality(a) > quality(b);
}

ordered_json or_null(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json();
}

}  // namespace

std::string ChainRow::text() const {
  return links.empty() ? "(the source)" : sanitized(joined(links), 200);
}

void mark_front(std::vector<ChainRow>& rows) {
  for (ChainRow& row : rows)
    row.is_best =
        row.failed.empty() && std::none_of(rows.begin(), rows.end(), [&](const ChainRow& other) {
          return other.failed.empty() && dominates(other, row);
        });
}

std::string front_table(const std::vector<ChainRow>& rows) {
  const bool has_labels = std::any_of(rows.begin(), rows.end(),
                                      [](const ChainRow& row) { return row.accuracy.has_value(); });
  Columns table("<><>>><");
  table.add({"", "", "chain", "size", "latency ms",
             has_labels ? "accuracy (95 %)" : "outputs differ by", "against the source"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ChainRow& row = rows[i];
    if (!row.failed.empty()) {
      table.add({"", std::to_string(i), row.text(), "–", "–", "–", "failed: " + row.failed});
      continue;
    }
    std::string good = number(row.distance, 2);
    if (row.accuracy)
      good = number(*row.accuracy, 3) +
             (row.low && row.high ? " (" + number(*row.low, 3) + "–" + number(*row.high, 3) + ")"
                                  : "");
    table.add({row.is_best ? "*" : "", std::to_string(i), row.text(),
               bytes_text(static_cast<double>(row.bytes)), number(row.latency_ms.value, 3), good,
               row.links.empty() ? "" : row.verdict});
  }
  std::ostringstream out;
  table.write(out);
  return out.str() +
         "* no other chain is at least as small, as fast and as good, and better in one of these\n";
}

std::string front_picture(const std::vector<ChainRow>& rows, const std::string& model) {
  report::ScatterChart chart;
  const bool has_labels = std::any_of(rows.begin(), rows.end(),
                                      [](const ChainRow& row) { return row.accuracy.has_value(); });
  chart.title = "Chains from " + sanitized(model, 80) + ": numbers as in the table, area = size";
  chart.x_label = "median latency, ms";
  chart.y_label = has_labels ? "accuracy" : "distance of the outputs from the source's";
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].failed.empty())
      chart.points.push_back(
          {rows[i].latency_ms.value, has_labels ? rows[i].accuracy.value_or(0) : rows[i].distance,
           static_cast<double>(rows[i].bytes), std::to_string(i), rows[i].is_best});
  return report::scatter_chart(chart);
}

ordered_json front_json(const std::vector<ChainRow>& rows) {
  auto list = ordered_json::array();
  for (const ChainRow& row : rows) {
    if (!row.failed.empty()) {
      list.push_back({{"chain", row.links}, {"failed", row.failed}});
      continue;
    }
    const auto interval =
        row.low && row.high ? ordered_json::array({*row.low, *row.high}) : ordered_json();
    list.push_back({{"chain", row.links},
                    {"failed", nullptr},
                    {"file", row.file},
                    {"bytes", row.bytes},
                    {"latency_ms",
                     {{"median", row.latency_ms.value},
                      {"low", or_null(row.latency_ms.low)},
                      {"high", or_null(row.latency_ms.high)}}},
                    {"accuracy", or_null(row.accuracy)},
                    {"accuracy_ci95", interval},
                    {"outputs_distance", row.distance},
                    {"verdict", row.verdict},
                    {"front", row.is_best}});
  }
  return list;
}

}  // namespace edgeprobe::cli
