// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/stretch_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/trust.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "core/text.h"
#include "meter/machine.h"
#include "placement/search/table.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch table PLAN MODEL`: compares a plan with its engine's own ways to
/// run the model.
struct StretchTableArgs {
  std::string plan, model;
  double seconds = 1;
  int rounds = 3;
  double time_limit_s = 60;  ///< Limit for one load or one inference.
  InputFlags inputs;
  bool trust = false;  ///< Load libraries named in the plan.
  JsonFlag json;
};

namespace {

using nlohmann::ordered_json;
using placement::Table;
using placement::TableRow;

std::string milliseconds(double seconds) { return number(seconds * 1e3, 4); }

void write_table(std::ostream& out, const Table& table) {
  const bool has_energy =
      std::any_of(table.rows.begin(), table.rows.end(),
                  [](const TableRow& row) { return row.energy.joules.has_value(); });
  Columns columns(has_energy ? "<>>>>>>>>>" : "<>>>>>>>>");
  std::vector<std::string> head{"way",        "median ms",       "interval", "p10",       "p90",
                                "quiet runs", "quiet processes", "core ms",  "difference"};
  if (has_energy) head.emplace_back("energy mJ");
  columns.add(std::move(head));
  for (const TableRow& row : table.rows) {
    if (!row.evidence) {
      std::vector<std::string> none{row.way, "-"};
      none.resize(has_energy ? 10 : 9);
      columns.add(std::move(none));
      continue;
    }
    const placement::Evidence& time = *row.evidence;
    std::vector<std::string> cells{
        row.way,
        milliseconds(time.median),
        milliseconds(*time.low) + ".." + milliseconds(*time.high),
        milliseconds(time.p10),
        milliseconds(time.p90),
        std::to_string(time.quiet) + " of " + std::to_string(time.runs),
        std::to_string(time.quiet_processes) + " of " + std::to_string(time.processes),
        milliseconds(time.core_seconds),
        row.difference ? placement::to_text(*row.difference) : ""};
    if (has_energy) cells.push_back(row.energy.joules ? number(*row.energy.joules * 1e3, 4) : "-");
    columns.add(std::move(cells));
  }
  columns.write(out);
  for (const TableRow& row : table.rows)
    if (row.evidence && placement::has_modes(*row.evidence))
      out << row.way << " takes " << placement::modes_text(*row.evidence) << "\n";
  for (const TableRow& row : table.rows)
    if (!row.evidence)
      out << "No figures of " << row.way << ": " << sanitized(row.missing, 400) << "\n";
  const std::uint64_t plain = table.rows.front().macs, planned = table.rows.back().macs;
  out << count_text(static_cast<double>(plain)) << " multiply-accumulates";
  if (planned != plain)
    out << ", " << count_text(static_cast<double>(planned)) << " in pieces (rows computed twice)";
  out << "; ";
  const auto timed = std::find_if(table.rows.begin(), table.rows.end(),
                                  [](const TableRow& row) { return row.evidence.has_value(); });
  if (timed == table.rows.end()) out << "energy was not measured\n";
  else if (timed->energy.joules)
    out << "energy by " << sanitized(timed->energy.source, 200) << "\n";
  else out << "no energy: " << sanitized(timed->energy.reason, 300) << "\n";
  if (table.ratio)
    out << "Pieces at once: " << number(table.ratio->value, 3) << " times as fast (95 % "
        << number(table.ratio->low, 3) << ".." << number(table.ratio->high, 3)
        << (table.plain > 2 ? ") as the fastest of one thread, all cores and each delegate\n"
                            : ") as the better of one thread and all cores\n");
}

ordered_json timing_json(const placement::Timing& time) {
  return ordered_json::parse(placement::to_json(time));
}

ordered_json figures_json(const placement::Evidence& figures) {
  ordered_json json{{"median", figures.median},
                    {"low", *figures.low},
                    {"high", *figures.high},
                    {"p10", figures.p10},
                    {"p90", figures.p90},
                    {"quiet", figures.quiet},
                    {"runs", figures.runs},
                    {"core_seconds", figures.core_seconds},
                    {"quiet_processes", figures.quiet_processes},
                    {"modes", ordered_json::array()}};
  for (const placement::Mode& mode : figures.modes)
    json["modes"].push_back({{"seconds", mode.seconds}, {"processes", mode.processes}});
  return json;
}

std::string table_json(const Table& table) {
  const meter::Machine machine = meter::machine({});
  ordered_json out{{"schema_version", 1},
                   {"machine",
                    {{"architecture", machine.architecture},
                     {"processor", machine.processor},
                     {"cpus", machine.cpus},
                     {"kernel", machine.kernel}}},
                   {"ratio", nullptr},
                   {"rows", ordered_json::array()}};
  if (table.ratio)
    out["ratio"] = {
        {"value", table.ratio->value}, {"low", table.ratio->low}, {"high", table.ratio->high}};
  for (const TableRow& row : table.rows) {
    ordered_json one{
        {"way", row.way},
        {"timing", row.evidence ? figures_json(*row.evidence) : ordered_json(nullptr)},
        {"processes", ordered_json::array()},
        {"difference", nullptr},
        {"macs", row.macs},
        {"energy", row.energy.joules ? ordered_json(*row.energy.joules) : ordered_json(nullptr)},
        {"energy_source", row.energy.source},
        {"energy_reason", row.energy.reason},
        {"missing", row.missing.empty() ? ordered_json(nullptr) : ordered_json(row.missing)}};
    for (const placement::Timing& time : row.processes)
      one["processes"].push_back(timing_json(time));
    if (row.difference)
      one["difference"] = ordered_json::parse(placement::to_json(*row.difference));
    out["rows"].push_back(std::move(one));
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

/// kUndecided if the plan, or a way that it is compared with, lacks evidence.
Result<Outcome> run(const StretchTableArgs& args, Terminal& terminal) {
  EP_CHECK(
      check_texts({{"--json", args.json.file}}, {args.plan, args.model, args.inputs.data.data}));
  if (!(args.seconds >= 0.01) || args.seconds > 600)
    return Error{ErrorKind::kUsage, "--seconds " + number(args.seconds) + ": expected 0.01 to 600"};
  EP_TRY(const auto limit, time_limit_from(args.time_limit_s));
  EP_CHECK(read_file(args.plan));
  EP_TRY(const auto plan, stretch::read_plan_file(args.plan));
  EP_CHECK(check_libraries(plan.processors, args.trust, args.plan));
  EP_TRY(const auto given, given_inputs(args.inputs, args.model, terminal));
  placement::TableOptions options;
  options.seconds = args.seconds;
  options.rounds = static_cast<std::size_t>(args.rounds);
  options.time_limit = limit;
  options.inputs = inputs_of(given, terminal);
  std::error_code unresolved;
  options.folder = std::filesystem::absolute(args.model, unresolved).parent_path();
  Progress progress(terminal, "stretch table");
  EP_TRY(auto table, placement::table(plan, given.graph, given.file.view(), options,
                                      {terminal.stop, progress.callback()}));
  if (args.json.wanted) EP_CHECK(write_result(args.json, table_json(table), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) write_table(terminal.out, table);
  return table.ratio ? Outcome::kDone : Outcome::kUndecided;
}

Work declare_stretch_table(Parser& parser) {
  auto args = std::make_shared<StretchTableArgs>();
  add_plan_and_model(parser, args->plan, args->model);
  parser.option("--seconds", args->seconds, "Seconds per measurement, after its warm-up")
      .shows_default();
  parser
      .option("--rounds", args->rounds,
              "Processes for each way at first; up to four times as many for a ratio")
      .range(1, 50)
      .shows_default();
  add_inputs(parser, args->inputs);
  add_time_limit(parser, args->time_limit_s);
  add_trust(parser, args->trust, "", "");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
