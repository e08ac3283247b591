// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_table_command.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/options/time_limit.h"
#include "cli/overwrite.h"
#include "cli/progress.h"
#include "cli/tables/columns.h"
#include "core/text.h"
#include "meter/machine.h"
#include "stretch/search/table.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::ordered_json;
using stretch::Table;
using stretch::TableRow;

std::string milliseconds(double seconds) { return number(seconds * 1e3, 4); }

void write_text(std::ostream& out, const Table& table) {
  Columns columns("<>>>>>>>");
  columns.add({"way", "median ms", "95 %", "p10", "p90", "quiet runs", "core ms", "difference"});
  for (const TableRow& row : table.rows) {
    if (!row.timing) {
      columns.add({row.way, "-", "", "", "", "", "", ""});
      continue;
    }
    const stretch::Timing& time = *row.timing;
    columns.add(
        {row.way, milliseconds(time.median),
         milliseconds(time.low) + ".." + milliseconds(time.high), milliseconds(time.p10),
         milliseconds(time.p90), std::to_string(time.quiet) + " of " + std::to_string(time.runs),
         milliseconds(time.core_seconds), row.difference ? stretch::to_text(*row.difference) : ""});
  }
  columns.write(out);
  for (const TableRow& row : table.rows)
    if (!row.timing)
      out << "No figures of " << row.way << ": " << sanitized(row.missing, 400) << "\n";
  out << count_text(static_cast<double>(table.macs))
      << " multiply-accumulates in each way; energy is not measured\n";
  if (table.ratio)
    out << "Pieces at once: " << number(table.ratio->value, 3) << " times as fast (95 % "
        << number(table.ratio->low, 3) << ".." << number(table.ratio->high, 3)
        << (table.plain > 2 ? ") as the fastest of one thread, all cores and each delegate\n"
                            : ") as the better of one thread and all cores\n");
}

ordered_json json_of(const stretch::Timing& time) {
  return ordered_json::parse(stretch::to_json(time));
}

std::string json_text(const Table& table) {
  const meter::Machine machine = meter::machine({});
  ordered_json out{{"schema_version", 1},
                   {"machine",
                    {{"architecture", machine.architecture},
                     {"processor", machine.processor},
                     {"cpus", machine.cpus},
                     {"kernel", machine.kernel}}},
                   {"macs", table.macs},
                   {"energy", nullptr},
                   {"ratio", nullptr},
                   {"rows", ordered_json::array()}};
  if (table.ratio)
    out["ratio"] = {
        {"value", table.ratio->value}, {"low", table.ratio->low}, {"high", table.ratio->high}};
  for (const TableRow& row : table.rows) {
    ordered_json one{
        {"way", row.way},
        {"timing", row.timing ? json_of(*row.timing) : ordered_json(nullptr)},
        {"processes", ordered_json::array()},
        {"difference", nullptr},
        {"missing", row.missing.empty() ? ordered_json(nullptr) : ordered_json(row.missing)}};
    for (const stretch::Timing& time : row.processes) one["processes"].push_back(json_of(time));
    if (row.difference) one["difference"] = ordered_json::parse(stretch::to_json(*row.difference));
    out["rows"].push_back(std::move(one));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<Outcome> run(const StretchTableArgs& args, Terminal& terminal) {
  if (auto good = check_texts({{"--json", args.json.file}}, {args.plan, args.model}); !good)
    return std::move(good.error());
  if (!(args.seconds >= 0.01) || args.seconds > 600)
    return Error{ErrorKind::kUsage, "--seconds " + number(args.seconds) + ": expected 0.01 to 600"};
  const auto limit = time_limit_from(args.time_limit_s);
  if (!limit) return limit.error();
  const auto text = read_file(args.plan);
  if (!text) return text.error();
  const auto plan = stretch::read_plan_file(args.plan);
  if (!plan) return plan.error();
  model::FileBytes file;
  const auto graph = model::load(args.model, file);
  if (!graph) return graph.error();
  stretch::TableOptions options;
  options.seconds = args.seconds;
  options.rounds = static_cast<std::size_t>(args.rounds);
  options.time_limit = *limit;
  std::error_code unresolved;
  options.folder = std::filesystem::absolute(args.model, unresolved).parent_path();
  Progress progress(terminal, "stretch table");
  auto table =
      stretch::table(*plan, *graph, file.view(), options, {terminal.stop, progress.callback()});
  if (!table) return std::move(table).error();
  if (args.json.wanted)
    if (auto written = write_result(args.json, json_text(*table), terminal.out); !written)
      return std::move(written).error();
  if (!args.json.wanted || !args.json.file.empty()) write_text(terminal.out, *table);
  return table->ratio ? Outcome::kDone : Outcome::kUndecided;
}

}  // namespace edgeprobe::cli
