// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_search_command.h"

#include <filesystem>

#include "cli/options/overwrite.h"
#include "cli/options/time_limit.h"
#include "cli/tables/columns.h"
#include "cli/terminal/progress.h"
#include "core/file.h"
#include "core/text.h"
#include "core/write_file.h"
#include "engine/kinds.h"
#include "model/graph.h"
#include "stretch/division.h"
#include "stretch/groups.h"
#include "stretch/regions.h"
#include "stretch/search/device.h"
#include "stretch/search/found_json.h"
#include "stretch/search/search.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::cli {
namespace {

using model::Graph;
using stretch::Candidate;
using stretch::Plan;
using stretch::Processor;

/// What each end of a split costs beside the whole model's work, where nothing was measured.
constexpr double kHandingOverShare = 0.01;

Result<std::vector<Processor>> processors_from(const ProcessorFlags& flags, const Graph& graph) {
  if (!flags.device.empty()) {
    if (!flags.engines.empty() || !flags.cpus.empty())
      return Error{ErrorKind::kUsage,
                   "--device names engines and CPUs; leave " +
                       std::string(flags.engines.empty() ? "--cpus" : "--engine") + " out"};
    const auto text = read_file(flags.device);
    if (!text) return text.error();
    auto processors = stretch::device_from_text(ByteView(*text).text());
    if (processors)
      if (auto fit = stretch::check_engines(*processors, graph.format); !fit)
        processors = std::move(fit).error();
    if (!processors)
      return std::move(processors.error()).during("'" + sanitized(flags.device, 300) + "'");
    return processors;
  }
  std::vector<std::string> engines = flags.engines;
  if (engines.empty()) engines.emplace_back(engine::default_engine("model." + graph.format).name);
  std::vector<int> cpus;
  if (!flags.cpus.empty()) {
    auto read = cpus_from_text(flags.cpus);
    if (!read) return std::move(read.error()).during("--cpus");
    cpus = *std::move(read);
  }
  auto processors = stretch::processors_here(engines, std::move(cpus));
  if (auto fit = stretch::check_engines(processors, graph.format); !fit)
    return std::move(fit).error();
  return processors;
}

/// Before anything is measured.
Status check_output(const std::string& output, bool force) {
  if (!output.empty())
    if (auto good = check_writable(output); !good)
      return std::move(good.error()).during("--output");
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  // Not after minutes of measuring.
  if (!folder.empty() && !std::filesystem::is_directory(folder, failure))
    return Error{ErrorKind::kUsage, "--output '" + sanitized(output, 400) +
                                        "': there is no such folder; make it first"};
  if (output.empty() || force ||
      !std::filesystem::exists(std::filesystem::symlink_status(output, failure)))
    return {};
  return Error{ErrorKind::kUsage, "'" + sanitized(output, 400) +
                                      "' exists; give another --output, or --force to replace it"};
}

void write_plan_text(std::ostream& out, const Plan& plan) {
  std::size_t flags = 0;
  for (const stretch::Program& program : plan.programs)
    for (const stretch::Step& step : program.steps)
      flags += step.kind == stretch::Step::Kind::kWait ? 1 : 0;
  out << plan.pieces.size() << (plan.pieces.size() == 1 ? " piece on " : " pieces on ")
      << plan.programs.size() << (plan.programs.size() == 1 ? " processor, " : " processors, ")
      << flags << (flags == 1 ? " wait, " : " waits, ") << plan.merges.size()
      << (plan.merges.size() == 1 ? " merge" : " merges") << " without a copy\n";
}

std::string milliseconds(double seconds) { return number(seconds * 1e3, 4); }

void write_candidates(std::ostream& out, const std::vector<Candidate>& candidates) {
  Columns columns("<>>>>>>");
  columns.add({"way", "pieces", "predicted ms", "median ms", "95 %", "quiet runs", "difference"});
  for (const Candidate& one : candidates) {
    std::vector<std::string> row{sanitized(one.name, 80), std::to_string(one.plan.pieces.size()),
                                 one.predicted ? milliseconds(*one.predicted) : ""};
    if (const auto& best = one.best)
      for (std::string cell :
           {milliseconds(best->median), milliseconds(best->low) + ".." + milliseconds(best->high),
            std::to_string(best->quiet) + " of " + std::to_string(best->runs)})
        row.push_back(std::move(cell));
    else row.insert(row.end(), 3, "");
    row.push_back(one.difference ? stretch::to_text(*one.difference) : "");
    columns.add(std::move(row));
  }
  columns.write(out);
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
    if (auto written = write_file(path, view_of(stretch::to_json(candidates[i].plan))); !written)
      return written;
  }
  return {};
}

/// A division by the branches of a model, by its multiply-accumulates.
Result<Plan> plan_by_regions(const Graph& graph, const std::vector<Processor>& processors) {
  const auto flow = stretch::flow_of(graph);
  if (!flow) return flow.error();
  const auto regions = stretch::regions_of(graph);
  if (!regions) return regions.error();
  const stretch::Chain chain = stretch::chain_of(graph, *flow, *regions);
  const auto work = [&](const std::vector<int>& layers) {
    double macs = 0;
    for (const int layer : layers)
      macs += static_cast<double>(graph.layers[static_cast<std::size_t>(layer)].macs.value_or(0));
    return macs;
  };
  const stretch::Cost cost = [&](const std::vector<int>& layers, std::size_t processor) {
    return work(layers) * processors[processor].emulated_slowdown;
  };
  const auto assignment = [&](std::size_t region) {
    const auto& branches = regions->list[static_cast<std::size_t>(chain.regions[region])].branches;
    std::vector<std::vector<double>> costs;
    for (const stretch::Branch& branch : branches) {
      costs.emplace_back();
      for (std::size_t p = 0; p < processors.size(); ++p)
        costs.back().push_back(cost(branch.part.layers, p));
    }
    return stretch::assign(costs);
  };
  const auto divided =
      stretch::divide(chain, cost,
                      stretch::as_if_alone(chain, cost, processors.size(),
                                           kHandingOverShare * static_cast<double>(graph.macs())),
                      assignment);
  return stretch::plan_of(graph, *flow, processors,
                          stretch::groups_of(chain, divided.division, processors.size()));
}

}  // namespace

Result<Outcome> run(const StretchPlanArgs& args, Terminal& terminal) {
  if (auto good = check_outputs({{"--output", args.output}}, {args.model, args.processors.device});
      !good)
    return std::move(good.error());
  if (auto good = check_output(args.output, args.force); !good) return std::move(good.error());
  model::FileBytes file;
  const auto graph = model::load(args.model, file);
  if (!graph) return graph.error();
  auto processors = processors_from(args.processors, *graph);
  if (!processors) return processors.error();
  std::erase_if(*processors, [](const auto& processor) { return processor.threads > 1; });
  if (processors->empty())
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(args.processors.device, 300) +
                     "' has processors with several threads alone; pieces run on one thread each"};
  const auto plan =
      args.split.empty()
          ? plan_by_regions(*graph, *processors)
          : stretch::plan_of_all_splits(*graph, file.view(), args.split == "rows", *processors);
  if (!plan) return Error(plan.error()).during("'" + sanitized(args.model, 400) + "'");
  if (auto written = write_file(args.output, view_of(stretch::to_json(*plan))); !written)
    return std::move(written).error();
  terminal.out << sanitized(args.output, 400) << ": ";
  write_plan_text(terminal.out, *plan);
  if (plan->programs.size() < 2)
    terminal.out << "Nothing of it is worth a second processor, counted in multiply-accumulates\n";
  else terminal.out << "Not measured; 'edgeprobe stretch search' tells whether it is faster\n";
  return Outcome::kDone;
}

Result<Outcome> run(const StretchSearchArgs& args, Terminal& terminal) {
  const std::vector<std::string> inputs{args.model, args.processors.device};
  if (auto good = check_outputs({{"--output", args.output}, {"--json", args.json.file}}, inputs);
      !good)
    return std::move(good.error());
  if (auto good = check_texts({{"--json", args.json.file}}, inputs); !good)
    return std::move(good.error());
  if (auto good = check_output(args.output, args.force); !good) return std::move(good.error());
  if (auto good = check_output(args.json.file, true); !good) return std::move(good.error());
  if (!(args.seconds >= 0.01) || args.seconds > 60)
    return Error{ErrorKind::kUsage, "--seconds " + number(args.seconds) + ": expected 0.01 to 60"};
  const auto limit = time_limit_from(args.time_limit_s);
  if (!limit) return limit.error();
  model::FileBytes file;
  const auto graph = model::load(args.model, file);
  if (!graph) return graph.error();
  auto processors = processors_from(args.processors, *graph);
  if (!processors) return std::move(processors).error();
  stretch::SearchOptions options;
  options.processors = *std::move(processors);
  options.seconds = args.seconds;
  options.best = static_cast<std::size_t>(args.best);
  options.rounds = static_cast<std::size_t>(args.rounds);
  options.fresh = args.fresh;
  options.time_limit = *limit;
  std::error_code unresolved;
  options.folder = std::filesystem::absolute(args.model, unresolved).parent_path();
  Progress progress(terminal, "stretch search");
  auto found =
      stretch::search(*graph, file.view(), options,
                      [&](const std::string& what) { terminal.err << "note: " << what << "\n"; },
                      {terminal.stop, progress.callback()});
  if (!found && found.error().kind == ErrorKind::kInterrupted)
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; the next search goes on from what was measured"};
  if (!found) return std::move(found.error()).during("'" + sanitized(args.model, 400) + "'");
  const std::string json = stretch::to_json(*found) + "\n";
  if (!args.output.empty()) {
    Plan plan = found->candidates[found->chosen].plan;
    plan.found = json;
    if (auto written = write_file(args.output, view_of(stretch::to_json(plan))); !written)
      return std::move(written).error();
  }
  if (!args.plans.empty())
    if (auto written = write_plans(args.plans, found->candidates); !written)
      return std::move(written).error();
  if (args.json.wanted)
    if (auto written = write_result(args.json, json, terminal.out); !written)
      return std::move(written).error();
  if (args.json.wanted && args.json.file.empty()) return Outcome::kDone;
  write_candidates(terminal.out, found->candidates);
  terminal.out << sanitized(found->answer, 1000) << "\n";
  if (found->is_kept)
    terminal.out << "Measured by an earlier search, " << stretch::moment_text(found->measured_at)
                 << "; --fresh measures again\n";
  if (!args.output.empty())
    terminal.out << "Written: " << sanitized(args.output, 400)
                 << "; run it with --engine stretch:" << sanitized(args.output, 400) << "\n";
  return Outcome::kDone;
}

}  // namespace edgeprobe::cli
