// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "bench/load.h"
#include "cli/commands/stretch_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/trust.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/index.h"
#include "core/result.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "model/closed_bytes.h"
#include "model/graph.h"
#include "stats/quantile.h"
#include "stretch/plan.h"
#include "stretch/schedule.h"
#include "stretch/split/fit.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch explain PLAN MODEL`: shows which parts of a model each processor
/// runs, and when.
struct StretchExplainArgs {
  std::string plan, model;
  int runs = 200;
  double time_limit_s = 60;  ///< Limit for one load or one inference.
  InputFlags inputs;
  bool trust = false;  ///< Load libraries named in the plan.
  JsonFlag json;
};

namespace {

using model::Graph;
using nlohmann::ordered_json;
using stretch::Plan;
using stretch::Schedule;

/// Times of one piece over all runs, in seconds.
struct PieceRow {
  std::string piece, processor;
  std::size_t layers = 0;
  std::uint64_t macs = 0;
  std::optional<std::uint64_t> bytes_in, bytes_out;
  std::vector<std::string> waits;
  std::vector<double> starts, times;
  double start = 0, time = 0;  ///< Median start and duration.
};

struct Explained {
  std::vector<PieceRow> rows;  ///< In the engine's order, which is a possible execution order.
  std::vector<double> latencies;
  double latency = 0;
  std::vector<double> busy;  ///< Median fraction of the latency, by program.
  std::uint64_t copied = 0;  ///< Bytes copied per inference.
};

std::optional<std::uint64_t> bytes_of(const Graph& graph, const std::vector<int>& tensors) {
  std::uint64_t sum = 0;
  for (const int tensor : tensors) {
    const auto bytes = model::closed_bytes(graph.tensors[at(tensor)]);
    if (!bytes) return std::nullopt;
    sum += *bytes;
  }
  return sum;
}

/// Flags that a piece waits for, set after the previous piece in its program.
std::vector<std::string> waits_of(const Plan& plan, const std::string& piece) {
  for (const stretch::Program& program : plan.programs) {
    std::vector<std::string> waits;
    for (const stretch::Step& step : program.steps) {
      if (step.kind == stretch::Step::Kind::kWait) waits.push_back(step.name);
      if (step.kind != stretch::Step::Kind::kRun) continue;
      if (step.name == piece) return waits;
      waits.clear();
    }
  }
  return {};
}

std::vector<PieceRow> piece_rows(const Plan& plan, const Graph& graph, const Schedule& schedule) {
  std::vector<PieceRow> rows;
  for (const std::size_t index : schedule.order) {
    const model::Part& part = schedule.parts[index];
    PieceRow row;
    row.piece = plan.pieces[index].name;
    row.processor = plan.programs[schedule.program_of[index]].processor;
    row.layers = part.layers.size();
    for (const int layer : part.layers) row.macs += graph.layers[at(layer)].macs.value_or(0);
    row.bytes_in = bytes_of(graph, part.inputs);
    row.bytes_out = bytes_of(graph, part.outputs);
    row.waits = waits_of(plan, row.piece);
    rows.push_back(std::move(row));
  }
  return rows;
}

Status time_rows(const StretchExplainArgs& args, std::chrono::milliseconds limit,
                 const GivenModel& given, const Plan& plan, Explained& explained,
                 Terminal& terminal) {
  engine::EngineChoice choice;
  choice.kind = engine::kind_of(engine::EngineId::kStretch).name;
  choice.library = args.plan;
  EP_TRY(auto engine, engine::open_supervised(choice));
  engine::SessionOptions options;
  options.load_limit = options.invoke_limit = limit;
  options.folder = given.spec.session.folder;
  options.input_shapes = given.spec.session.input_shapes;
  EP_TRY(auto session, engine->load(given.file.view(), args.model, options));
  for (const std::string& warning : session->warnings())
    terminal.err << "warning: " << sanitized(warning, 400) << "\n";
  EP_TRY(const auto inputs, given.samples.empty()
                                ? bench::random_inputs(session->inputs(), 1, given.feeds)
                                : frame_of(given, session->inputs(), 0));
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  Progress progress(terminal, "stretch explain");
  std::vector<std::vector<double>> busy(plan.programs.size());
  for (int run = 0; run < args.runs && !terminal.stopped(); ++run) {
    EP_TRY(const auto inference, session->infer(views));
    const double latency = std::chrono::duration<double>(inference.latency).count();
    explained.latencies.push_back(latency);
    explained.copied = inference.copied;
    std::vector<double> used(plan.programs.size());
    for (std::size_t i = 0; i < inference.pieces.size() && i < explained.rows.size(); ++i) {
      PieceRow& row = explained.rows[i];
      row.starts.push_back(std::chrono::duration<double>(inference.pieces[i].start).count());
      row.times.push_back(std::chrono::duration<double>(inference.pieces[i].time).count());
      for (std::size_t p = 0; p < plan.programs.size(); ++p)
        if (plan.programs[p].processor == row.processor) used[p] += row.times.back();
    }
    for (std::size_t p = 0; p < used.size(); ++p) busy[p].push_back(used[p] / latency);
    progress.show(static_cast<std::size_t>(run) + 1, static_cast<std::size_t>(args.runs), "runs");
  }
  if (explained.latencies.empty()) return interrupted();
  for (PieceRow& row : explained.rows) {
    row.start = stats::median(row.starts);
    row.time = stats::median(row.times);
  }
  for (const std::vector<double>& shares : busy) explained.busy.push_back(stats::median(shares));
  explained.latency = stats::median(explained.latencies);
  return {};
}

std::string piece_size(const std::optional<std::uint64_t>& bytes) {
  return bytes ? bytes_text(static_cast<double>(*bytes)) : "?";
}

std::string joined_text(const std::vector<std::string>& words) {
  return edgeprobe::joined(words, ", ",
                           [](const std::string& word) { return sanitized(word, 40); });
}

/// For a plan chosen by a search: "predicted 0.48 ms (0.47 ms if pieces did not disturb each other)
/// and measured 0.55 ms"; else "", also for a plan of another search.
std::string search_text(const Plan& plan) {
  const auto found = ordered_json::parse(plan.found, nullptr, false);
  if (!found.is_object() || !found.contains("chosen") || !found.contains("candidates")) return "";
  for (const ordered_json& one : found["candidates"]) {
    if (!one.is_object() || one.value("name", ordered_json()) != found["chosen"]) continue;
    std::string text;
    for (const auto& [key, before, after] :
         {std::tuple{"predicted", "predicted ", " ms"},
          std::tuple{"predicted_alone", " (", " ms if pieces did not disturb each other)"},
          std::tuple{"median", " and measured ", " ms"}})
      if (const auto value = one.find(key); value != one.end() && value->is_number())
        text += before + number(value->get<double>() * 1e3, 4) + after;
      else return "";
    return text;
  }
  return "";
}

void write_explanation(std::ostream& out, const Plan& plan, const Explained& explained) {
  Columns columns("<<>>>>><");
  columns.add(
      {"piece", "processor", "layers", "MACs", "bytes in, out", "start ms", "ms", "waits for"});
  for (const PieceRow& row : explained.rows)
    columns.add({sanitized(row.piece, 40), sanitized(row.processor, 40), std::to_string(row.layers),
                 count_text(static_cast<double>(row.macs)),
                 piece_size(row.bytes_in) + ", " + piece_size(row.bytes_out),
                 number(row.start * 1e3, 4), number(row.time * 1e3, 4), joined_text(row.waits)});
  columns.write(out);
  for (const stretch::Merge& merge : plan.merges)
    out << "'" << sanitized(merge.tensor, 60) << "' is put together of " << merge.slices.size()
        << " slices where they are made, without a copy\n";
  out << "One inference: " << number(explained.latency * 1e3, 4) << " ms (median of "
      << explained.latencies.size() << ")";
  for (std::size_t p = 0; p < plan.programs.size(); ++p)
    out << (p == 0 ? "; " : ", ") << sanitized(plan.programs[p].processor, 40) << " busy "
        << percent(explained.busy[p]);
  out << "\n";
  if (const std::string text = search_text(plan); !text.empty())
    out << "The search " << text << "\n";
  out << "Copied in one inference: " << bytes_text(static_cast<double>(explained.copied)) << "\n";
}

std::string explanation_json(const Plan& plan, const Explained& explained) {
  const auto or_null = [](const std::optional<std::uint64_t>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
  };
  ordered_json out{{"schema_version", 1},
                   {"latency", explained.latency},
                   {"runs", explained.latencies.size()},
                   {"copied_bytes", explained.copied},
                   {"processors", ordered_json::array()},
                   {"pieces", ordered_json::array()}};
  for (std::size_t p = 0; p < plan.programs.size(); ++p)
    out["processors"].push_back(
        {{"name", plan.programs[p].processor}, {"busy", explained.busy[p]}});
  for (const PieceRow& row : explained.rows)
    out["pieces"].push_back({{"name", row.piece},
                             {"processor", row.processor},
                             {"layers", row.layers},
                             {"macs", row.macs},
                             {"bytes_in", or_null(row.bytes_in)},
                             {"bytes_out", or_null(row.bytes_out)},
                             {"waits", row.waits},
                             {"start", row.start},
                             {"time", row.time}});
  if (!plan.found.empty()) out["found"] = ordered_json::parse(plan.found, nullptr, false);
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<Outcome> run(const StretchExplainArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.plan, args.model}));
  if (args.runs < 1 || args.runs > 1'000'000)
    return Error{ErrorKind::kUsage,
                 "--runs " + std::to_string(args.runs) + ": expected 1 to 1000000"};
  EP_TRY(const auto limit, time_limit_from(args.time_limit_s));
  EP_TRY(const auto plan, stretch::read_plan_file(args.plan));
  EP_CHECK(check_libraries(plan.processors, args.trust, args.plan));
  EP_TRY(const auto given, given_inputs(args.inputs, args.model, terminal));
  const auto fitted = stretch::fit(plan, given.graph, given.file.view());
  if (!fitted)
    return Error(fitted.error())
        .during("plan '" + sanitized(args.plan, 400) + "' and '" + sanitized(args.model, 400) +
                "'");
  Explained explained;
  explained.rows = piece_rows(plan, fitted->graph, fitted->schedule);
  EP_CHECK(time_rows(args, limit, given, plan, explained, terminal));
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, explanation_json(plan, explained), terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    write_explanation(terminal.out, plan, explained);
  return Outcome::kDone;
}

Work declare_stretch_explain(Parser& parser) {
  auto args = std::make_shared<StretchExplainArgs>();
  add_plan_and_model(parser, args->plan, args->model);
  parser.option("--runs", args->runs, "Number of timed inferences").shows_default();
  add_inputs(parser, args->inputs);
  add_time_limit(parser, args->time_limit_s);
  add_trust(parser, args->trust, "", "");
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
