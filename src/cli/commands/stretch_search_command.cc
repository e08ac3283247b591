// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/commands/stretch_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/progress.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "model/graph.h"
#include "placement/search/device.h"
#include "placement/search/found.h"
#include "placement/search/search.h"
#include "stretch/division.h"
#include "stretch/groups.h"
#include "stretch/regions.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe stretch search MODEL`: measures divisions and chooses one.
struct StretchSearchArgs {
  std::string model;
  ProcessorFlags processors;
  std::string output;  ///< File for the chosen plan; "": not written.
  std::string plans;   ///< Folder for the plan of each measured division; "": none.
  double seconds = 0.3;
  int best = 3;
  int rounds = 3;
  bool fresh = false;
  bool force = false;
  double time_limit_s = 60;  ///< Limit for one load or one inference.
  InputFlags inputs;
  JsonFlag json;
};

namespace {

using model::Graph;
using placement::Candidate;
using stretch::Plan;

std::string milliseconds(double seconds) { return number(seconds * 1e3, 4); }

void write_candidates(std::ostream& out, const std::vector<Candidate>& candidates) {
  Columns columns("<>>>>>>>");
  columns.add({"way", "pieces", "predicted ms", "median ms", "interval", "quiet runs",
               "quiet processes", "difference"});
  for (const Candidate& one : candidates) {
    std::vector<std::string> row{sanitized(one.name, 80), std::to_string(one.plan.pieces.size()),
                                 one.predicted ? milliseconds(*one.predicted) : ""};
    if (const auto& figures = one.evidence)
      for (std::string cell :
           {milliseconds(figures->median),
            figures->low ? milliseconds(*figures->low) + ".." + milliseconds(*figures->high)
                         : std::string(),
            std::to_string(figures->quiet) + " of " + std::to_string(figures->runs),
            std::to_string(figures->quiet_processes) + " of " + std::to_string(figures->processes)})
        row.push_back(std::move(cell));
    else row.insert(row.end(), 4, "");
    row.push_back(one.difference ? placement::to_text(*one.difference) : "");
    columns.add(std::move(row));
  }
  columns.write(out);
  for (const Candidate& one : candidates)
    if (one.evidence && placement::has_modes(*one.evidence))
      out << sanitized(one.name, 80) << " takes " << placement::modes_text(*one.evidence) << "\n";
  for (const Candidate& one : candidates)
    if (!one.refused.empty())
      out << "Refused: " << sanitized(one.name, 80) << ": " << sanitized(one.refused, 600) << "\n";
}

/// FOLDER/1.json and so on, in the order of the table.
Status write_plans(const std::string& folder, const std::vector<Candidate>& candidates) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return Error{ErrorKind::kTarget,
                 "cannot make the folder '" + sanitized(folder, 400) + "': " + failure.message()};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto path = std::filesystem::path(folder) / (std::to_string(i + 1) + ".json");
    EP_CHECK(write_file(path, view_of(stretch::to_json(candidates[i].plan))));
  }
  return {};
}

}  // namespace

/// kUndecided if the timings support no answer; kInterrupted keeps the measurements for the next
/// search.
Result<Outcome> run(const StretchSearchArgs& args, Terminal& terminal) {
  const std::vector<std::string> inputs{args.model, args.processors.device, args.inputs.data.data};
  EP_CHECK(check_outputs({{"--output", args.output}, {"--json", args.json.file}}, inputs));
  EP_CHECK(check_texts({{"--json", args.json.file}}, inputs));
  EP_CHECK(check_output(args.output, args.force));
  EP_CHECK(check_output(args.json.file, true));
  if (!(args.seconds >= 0.01) || args.seconds > 60)
    return Error{ErrorKind::kUsage, "--seconds " + number(args.seconds) + ": expected 0.01 to 60"};
  EP_TRY(const auto limit, time_limit_from(args.time_limit_s));
  EP_TRY(const auto given, given_inputs(args.inputs, args.model, terminal));
  const Graph& graph = given.graph;
  EP_TRY(auto processors, processors_from(args.processors, graph));
  placement::SearchOptions options;
  options.processors = std::move(processors);
  options.seconds = args.seconds;
  options.best = static_cast<std::size_t>(args.best);
  options.rounds = static_cast<std::size_t>(args.rounds);
  options.fresh = args.fresh;
  options.time_limit = limit;
  options.inputs = inputs_of(given, terminal);
  std::error_code unresolved;
  options.folder = std::filesystem::absolute(args.model, unresolved).parent_path();
  Progress progress(terminal, "stretch search");
  auto found =
      placement::search(graph, given.file.view(), options,
                        [&](const std::string& what) { terminal.err << "note: " << what << "\n"; },
                        {terminal.stop, progress.callback()});
  if (!found && found.error().kind == ErrorKind::kInterrupted)
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; the next search goes on from what was measured"};
  if (!found) return std::move(found.error()).during("'" + sanitized(args.model, 400) + "'");
  const std::string json = placement::to_json(*found) + "\n";
  if (!args.output.empty()) {
    Plan plan = found->candidates[found->chosen].plan;
    plan.found = json;
    EP_CHECK(write_file(args.output, view_of(stretch::to_json(plan))));
  }
  if (!args.plans.empty()) EP_CHECK(write_plans(args.plans, found->candidates));
  if (args.json.wanted) EP_CHECK(write_result(args.json, json, terminal.out));
  const Outcome outcome = found->decided ? Outcome::kDone : Outcome::kUndecided;
  if (args.json.wanted && args.json.file.empty()) return outcome;
  write_candidates(terminal.out, found->candidates);
  terminal.out << sanitized(found->answer, 1000) << "\n";
  if (found->is_kept)
    terminal.out << "Measured by an earlier search, " << placement::moment_text(found->measured_at)
                 << "; --fresh measures again\n";
  if (!args.output.empty())
    terminal.out << "Written: " << sanitized(args.output, 400)
                 << (found->decided ? "" : ", the best plain option")
                 << "; run it with --engine stretch:" << sanitized(args.output, 400) << "\n";
  return outcome;
}

Work declare_stretch_search(Parser& parser) {
  auto args = std::make_shared<StretchSearchArgs>();
  parser.option("model", args->model, "A model file: .tflite or .onnx").required();
  parser.option("-o,--output", args->output, "Write the plan of the fastest way").type("PLAN.json");
  parser.flag("--force", args->force, "Replace an existing file");
  add_processors(parser, args->processors);
  parser
      .option("--plans", args->plans,
              "Also write the plan of each measured way: 1.json, 2.json, ... as in the table")
      .type("FOLDER");
  parser.option("--seconds", args->seconds, "Seconds per measurement, after its warm-up")
      .shows_default();
  parser.option("--best", args->best, "Number of divisions to measure from end to end")
      .range(1, 50)
      .shows_default();
  parser
      .option("--rounds", args->rounds,
              "Processes for each way at first; up to four times as many for an answer")
      .range(1, 50)
      .shows_default();
  parser.flag("--fresh", args->fresh, "Ignore the measurements of earlier searches");
  add_inputs(parser, args->inputs);
  add_time_limit(parser, args->time_limit_s);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
