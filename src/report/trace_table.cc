// SPDX-License-Identifier: Apache-2.0
#include "report/trace_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/text.h"
#include "report/json/verdict.h"
#include "report/page/fleet_sections.h"
#include "report/page/html.h"
#include "report/text/columns.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using compare::Share;
using compare::TraceSummary;
using nlohmann::ordered_json;

constexpr double kLast = std::numeric_limits<double>::infinity();

double part_of(const Share& share) {
  return share.all > 0 ? static_cast<double>(share.part) / static_cast<double>(share.all) : 0;
}

const std::optional<Share>& other_class(const TraceSummary& row) {
  static const std::optional<Share> none;
  return row.disagreement ? row.disagreement->other_class : none;
}

// Share of wrong recorded answers.
double wrong_answers(const TraceSummary& row) {
  if (!row.answers || !row.answers->target.value) return kLast;
  const double value = *row.answers->target.value;
  return row.answers->task->higher_is_better ? 1 - value : value;
}

// Smaller is better in every component.
std::tuple<double, double, double> rank(const TraceSummary& row, const std::string& by) {
  const double wrong = row.top1 ? 1 - part_of(*row.top1) : wrong_answers(row);
  const double other = row.is_reference ? 0 : other_class(row) ? part_of(*other_class(row)) : kLast;
  const double slow = row.p50_ms.value_or(kLast);
  if (by == "latency") return {slow, wrong, other};
  if (by == "name") return {0, 0, 0};
  return {wrong, other, slow};
}

// Whole percentage points if the interval is wider than two: a decimal would be meaningless.
std::string interval(const stats::Interval& ci) {
  const int places = ci.high - ci.low > 0.02 ? 0 : 1;
  return decimals(100 * ci.low, places) + "–" + decimals(100 * ci.high, places);
}

// "97.5 (87–100)"
std::string share_text(const std::optional<Share>& share) {
  if (!share || share->all == 0) return "–";
  return decimals(100 * part_of(*share), 1) + " (" + interval(share->ci95) + ")";
}

std::string milliseconds(const std::optional<double>& value) {
  if (!value) return "–";
  return decimals(*value, *value < 1 ? 3 : *value < 100 ? 2 : *value < 10000 ? 1 : 0);
}

std::string disagreement_text(const TraceSummary& row) {
  if (row.is_reference) return "reference";
  if (other_class(row)) return share_text(other_class(row));
  if (row.disagreement && row.disagreement->output_distance)
    return "distance " + digits(row.disagreement->output_distance, 3);
  return "–";
}

// Keeps both ends of a name: files often differ only at the end of their names.
std::string name_cell(const std::string& text, std::size_t width) {
  return shortened(sanitized(text, 400), width, (width - 1) / 2);
}

ordered_json json_of(const std::optional<Share>& share) {
  if (!share || share->all == 0) return nullptr;
  return {{"share", part_of(*share)},
          {"part", share->part},
          {"of", share->all},
          {"ci95", {share->ci95.low, share->ci95.high}}};
}

template <class T>
ordered_json json_or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const TraceSummary& row) {
  ordered_json out{
      {"file", row.file},
      {"model", row.model},
      {"configuration", row.configuration},
      {"reference", row.is_reference},
      {"frames", row.frames},
      {"output", row.output.empty() ? ordered_json(nullptr) : ordered_json(row.output)},
      {"classes", row.classes},
      {"top1", json_of(row.top1)},
      {"k", row.k},
      {"topk", json_of(row.top_k)},
      {"answers", evaluation_json(row.answers)},
      {"metric", metric_json(row.metric)},
      {"latency",
       {{"frames", row.timed},
        {"p50_ms", json_or_null(row.p50_ms)},
        {"p90_ms", json_or_null(row.p90_ms)}}},
      {"disagreement", nullptr},
      {"declared", row.declared},
      {"remarks", row.remarks}};
  if (const auto& d = row.disagreement) {
    out["disagreement"] = {{"frames", d->joined},
                           {"other_class", json_of(d->other_class)},
                           {"p_value", json_or_null(d->p_value)},
                           {"output_distance", json_or_null(d->output_distance)},
                           {"output_distance_kind", compare::name(d->kind)},
                           {"output_distance_ci95", nullptr}};
    if (d->output_distance_ci95)
      out["disagreement"]["output_distance_ci95"] = {d->output_distance_ci95->low,
                                                     d->output_distance_ci95->high};
  }
  return out;
}

std::string table_row(const TraceSummary& row) {
  const auto cell = [](const std::string& text, const char* css = "number") {
    return std::string("<td class=\"") + css + "\">" + text + "</td>";
  };
  return "<tr><th scope=\"row\">" + escaped(row.model, kLongestName) + "</th><td>" +
         escaped(row.configuration, kLongestName) + "</td>" +
         cell(std::to_string(row.frames), "number wide-only") + cell(share_text(row.top1)) +
         cell(share_text(row.top_k), "number wide-only") + cell(milliseconds(row.p50_ms)) +
         cell(milliseconds(row.p90_ms), "number medium-only") + cell(disagreement_text(row)) +
         "</tr>\n";
}

}  // namespace

void sort_summaries(std::vector<TraceSummary>& rows, const std::string& by) {
  const auto less = [&](const TraceSummary& a, const TraceSummary& b) {
    const auto x = rank(a, by), y = rank(b, by);
    if (x != y) return x < y;
    return std::tie(a.model, a.configuration, a.file) < std::tie(b.model, b.configuration, b.file);
  };
  std::stable_sort(rows.begin(), rows.end(), less);
  std::map<std::string, std::size_t> best;
  for (std::size_t i = 0; i < rows.size(); ++i) best.emplace(rows[i].model, i);
  std::stable_sort(rows.begin(), rows.end(), [&](const TraceSummary& a, const TraceSummary& b) {
    return best.at(a.model) < best.at(b.model);
  });
}

std::string render_trace_table_text(const TraceTable& table) {
  // 2 + 24 + 7 + 3 x 17 + 2 x 8 = 100 columns.
  constexpr std::size_t kName = 24, kFrames = 7, kShare = 17, kTime = 7;
  std::string out = "  " + padded("configuration", kName) + right("frames", kFrames) +
                    right("top-1 %", kShare) + right("top-5 %", kShare) +
                    right("p50 ms", kTime + 1) + right("p90 ms", kTime + 1) +
                    right("disagrees %", kShare) + "\n";
  std::string model;
  bool first = true;
  for (const TraceSummary& row : table.rows) {
    if (first || row.model != model) out += name_cell(row.model, 98) + "\n";
    first = false;
    model = row.model;
    out += "  " + padded(name_cell(row.configuration, kName), kName) +
           right(std::to_string(row.frames), kFrames) + right(share_text(row.top1), kShare) +
           right(share_text(row.top_k), kShare) + right(milliseconds(row.p50_ms), kTime + 1) +
           right(milliseconds(row.p90_ms), kTime + 1) + right(disagreement_text(row), kShare) +
           "\n";
  }
  out += "\nIn brackets: 95 % intervals (Wilson). Latency is that of the invoke only.\n" +
         sanitized(table.reference_rule, 400) + "\n";
  std::string remarks;
  for (const TraceSummary& row : table.rows)
    for (const std::string& remark : row.remarks)
      remarks += "  " + sanitized(row.file, 200) + ": " + sanitized(remark, 400) + "\n";
  if (!remarks.empty()) out += "\nRemarks\n" + remarks;
  if (table.fleet) out += fleet_text(*table.fleet);
  if (!table.skipped.empty()) out += "\nSkipped\n";
  for (const SkippedTrace& skipped : table.skipped)
    out += "  " + sanitized(skipped.file, 200) + ": " + sanitized(skipped.why, 400) + "\n";
  return out;
}

std::string render_trace_table_json(const TraceTable& table) {
  ordered_json out{{"schema_version", 1},
                   {"folder", table.folder},
                   {"reference", table.reference.empty() ? ordered_json(nullptr)
                                                         : ordered_json(table.reference)},
                   {"reference_rule", table.reference_rule},
                   {"rows", ordered_json::array()},
                   {"skipped", ordered_json::array()},
                   {"fleet", table.fleet ? fleet_json(*table.fleet) : ordered_json(nullptr)}};
  for (const TraceSummary& row : table.rows) out["rows"].push_back(json_of(row));
  for (const SkippedTrace& skipped : table.skipped)
    out["skipped"].push_back({{"file", skipped.file}, {"why", skipped.why}});
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string render_trace_table_html(const TraceTable& table) {
  const std::string title = "Traces in " + escaped(table.folder, kLongestName);
  std::string out = page_begin(title, PageScript::kNone) + "<header>\n<h1>" + title +
                    "</h1>\n<p class=\"lead\">" + escaped(table.reference_rule) +
                    "</p>\n</header>\n<main>\n";
  out +=
      "<table>\n<caption>Accuracy in %, with 95 % intervals (Wilson); latency of the invoke "
      "only</caption>\n<thead><tr><th scope=\"col\">Model</th>"
      "<th scope=\"col\">Configuration</th><th scope=\"col\" class=\"number "
      "wide-only\">Frames</th><th scope=\"col\" class=\"number\">Top-1</th>"
      "<th scope=\"col\" class=\"number wide-only\">Top-5</th><th scope=\"col\" "
      "class=\"number\">p50 ms</th>"
      "<th scope=\"col\" class=\"number medium-only\">p90 ms</th><th scope=\"col\" "
      "class=\"number\">Disagrees</th></tr></thead>\n<tbody>\n";
  for (const TraceSummary& row : table.rows) out += table_row(row);
  out += "</tbody></table>\n";
  std::string remarks, skipped;
  for (const TraceSummary& row : table.rows)
    for (const std::string& remark : row.remarks)
      remarks += "<li>" + escaped(row.file, kLongestName) + ": " + escaped(remark) + "</li>\n";
  for (const SkippedTrace& one : table.skipped)
    skipped += "<li>" + escaped(one.file, kLongestName) + ": " + escaped(one.why) + "</li>\n";
  if (table.fleet) out += fleet_html(*table.fleet);
  if (!remarks.empty()) out += "<h2>Remarks</h2>\n<ul>\n" + remarks + "</ul>\n";
  if (!skipped.empty()) out += "<h2>Skipped</h2>\n<ul>\n" + skipped + "</ul>\n";
  return out + "</main>\n" + page_end(PageScript::kNone);
}

}  // namespace edgeprobe::report
