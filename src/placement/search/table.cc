// SPDX-License-Identifier: Apache-2.0
#include "placement/search/table.h"

#include <algorithm>
#include <random>
#include <set>

#include "bench/load.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/private_folder.h"
#include "model/feeds.h"
#include "placement/search/found.h"
#include "placement/search/quiet.h"
#include "placement/search/session_energy.h"
#include "stretch/schedule.h"
#include "stretch/split/fit.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::placement {
namespace {

constexpr std::size_t kInputsCompared = 20;

/// A way to run the model, and how to start its processes.
struct Way {
  std::string name;
  Runs runs;
  std::string missing;
};

const stretch::Processor& processor_of(const stretch::Plan& plan, const stretch::Program& program) {
  return *std::find_if(
      plan.processors.begin(), plan.processors.end(),
      [&](const stretch::Processor& one) { return one.name == program.processor; });
}

/// The first processor of the programs that has no delegate (GPU or similar); if all have one, the
/// first.
const stretch::Processor& home_of(const stretch::Plan& plan) {
  for (const stretch::Program& program : plan.programs)
    if (processor_of(plan, program).delegate.empty()) return processor_of(plan, program);
  return processor_of(plan, plan.programs.front());
}

/// The whole model on each delegate (GPU or similar) of the plan.
Result<std::vector<Way>> delegated_ways(const stretch::Plan& plan,
                                        const engine::SessionOptions& base) {
  std::vector<Way> ways;
  for (const stretch::Program& program : plan.programs) {
    const stretch::Processor& processor = processor_of(plan, program);
    if (processor.delegate.empty()) continue;
    EP_TRY(auto runs, runs_on(processor, base));
    ways.push_back({"whole on " + sanitized(processor.name, 60), std::move(runs), ""});
  }
  return ways;
}

/// All pieces on one processor, in an order in which they can run.
stretch::Plan in_sequence(const stretch::Plan& plan, const stretch::Schedule& schedule) {
  stretch::Plan one = plan;
  const std::string home = home_of(plan).name;
  std::erase_if(one.processors,
                [&](const stretch::Processor& processor) { return processor.name != home; });
  one.programs = {{home, {}}};
  for (const std::size_t piece : schedule.order)
    one.programs.front().steps.push_back({stretch::Step::Kind::kRun, plan.pieces[piece].name});
  return one;
}

engine::SessionOptions base_options(const TableOptions& options) {
  engine::SessionOptions base;
  base.folder = options.folder;
  base.load_limit = base.invoke_limit = options.time_limit;
  return base;
}

Result<std::vector<Way>> ways_of(const stretch::Plan& plan, const stretch::Schedule& schedule,
                                 const TableOptions& options, const std::filesystem::path& folder) {
  const stretch::Processor& home = home_of(plan);
  const engine::SessionOptions base = base_options(options);
  EP_TRY(const auto alone, runs_on(home, base));
  std::set<int> all;
  bool slowed = false;
  for (const stretch::Processor& processor : plan.processors) {
    all.insert(processor.cpus.begin(), processor.cpus.end());
    slowed = slowed || processor.emulated_slowdown > 1;
  }
  const std::string slow = slowed ? "the threads of a pool cannot be made slower on one CPU" : "";
  engine::SessionOptions together = alone.options;
  together.cpus.assign(all.begin(), all.end());
  together.threads = static_cast<int>(all.size());
  engine::SessionOptions parallel = together;
  engine::OnnxRuntimeOptions own;
  own.parallel = true;
  parallel.own = own;
  const bool has_parallel =
      alone.engine.kind == engine::kind_of(engine::EngineId::kOnnxRuntime).name;
  engine::EngineChoice planned, sequence;
  planned.kind = sequence.kind = engine::kind_of(engine::EngineId::kStretch).name;
  planned.library = folder / "plan.json";
  sequence.library = folder / "sequence.json";
  EP_CHECK(write_file(planned.library, view_of(to_json(plan))));
  EP_CHECK(write_file(sequence.library, view_of(to_json(in_sequence(plan, schedule)))));
  return std::vector<Way>{
      {"one thread", alone, ""},
      {"all cores", {alone.engine, together, 1, together.cpus}, slow},
      {"the engine's parallel mode",
       {alone.engine, parallel, 1, together.cpus},
       !slow.empty()  ? slow
       : has_parallel ? ""
                      : std::string("engine ") + alone.engine.kind + " has none"},
      {"pieces in sequence", {sequence, base, 1, home.cpus}, ""},
      {"pieces at once", {planned, base, 1, together.cpus}, ""}};
}

/// All layers split across the plan's processors, by channels.
Result<Way> split_way(const stretch::Plan& plan, const model::Graph& graph, ByteView file,
                      const TableOptions& options, const std::filesystem::path& folder) {
  Way way{"layers split by channels", {}, ""};
  if (!plan.splits.empty()) {
    way.missing = "the plan splits layers itself";
    return way;
  }
  const auto split = stretch::plan_of_all_splits(graph, file, false, plan.processors);
  if (!split) {
    way.missing = split.error().what;
    return way;
  }
  way.runs.options = base_options(options);
  way.runs.cpus = cpus_of(*split);
  way.runs.engine.kind = engine::kind_of(engine::EngineId::kStretch).name;
  way.runs.engine.library = folder / "split.json";
  EP_CHECK(write_file(way.runs.engine.library, view_of(to_json(*split))));
  return way;
}

/// Measures the energy of all rows with figures; stops if the machine cannot report that of the
/// first row.
Status measure_energy(const std::vector<Way>& ways, Table& table, ByteView file,
                      const std::vector<model::Feed>& feeds, const TableOptions& options,
                      const Control& control) {
  const meter::NetEnergy* first = nullptr;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    TableRow& row = table.rows[i];
    if (!row.timing) continue;
    if (first && !first->joules && first->runs == 0) {
      row.energy.reason = first->reason;
      continue;
    }
    EP_TRY(auto session, load_model(file, ways[i].runs));
    EP_TRY(auto inputs, bench::random_inputs(session->inputs(), 1, feeds));
    EP_CHECK(warm_up_for(*session, inputs, options.seconds, control));
    EP_TRY(row.energy, session_energy(*session, {inputs}, options.energy, control));
    if (!first) first = &row.energy;
  }
  return {};
}

/// Compares the outputs of each way with those of the first.
Status compare(const std::vector<Way>& ways, Table& table, ByteView file,
               const std::vector<model::Feed>& feeds, const Control& control) {
  EP_TRY(auto reference, load_model(file, ways.front().runs));
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (!table.rows[i].missing.empty()) continue;
    auto session = load_model(file, ways[i].runs);
    if (!session) {
      table.rows[i].missing = session.error().what;
      continue;
    }
    auto found = difference(**session, *reference, feeds, kInputsCompared, control);
    if (!found && found.error().kind == ErrorKind::kInterrupted) return std::move(found).error();
    if (found) table.rows[i].difference = *found;
    else table.rows[i].missing = found.error().what;
  }
  return {};
}

}  // namespace

Result<Table> table(const stretch::Plan& plan, const model::Graph& graph, ByteView file,
                    const TableOptions& options, const Control& control) {
  const LongTurns turns;
  EP_TRY(const auto fitted, stretch::fit(plan, graph, file));
  EP_TRY(const auto folder, engine::PrivateFolder::create());
  EP_TRY(auto ways, ways_of(plan, fitted.schedule, options, folder.path()));
  EP_TRY(const auto delegated, delegated_ways(plan, base_options(options)));
  ways.insert(ways.begin() + 2, delegated.begin(), delegated.end());
  EP_TRY(auto split, split_way(plan, graph, file, options, folder.path()));
  ways.insert(ways.end() - 2, std::move(split));
  Table table;
  table.plain = 2 + delegated.size();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const bool is_plan = i + 2 >= ways.size();
    table.rows.push_back({ways[i].name,
                          {},
                          {},
                          {},
                          ways[i].missing,
                          is_plan ? fitted.graph.macs() : graph.macs(),
                          {}});
  }
  const std::vector<model::Feed> feeds = model::feeds(graph);
  EP_CHECK(compare(ways, table, file, feeds, control));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ways.size(); ++i) order.push_back(i);
  std::mt19937 random(1);
  std::size_t done = 0;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      if (control.progress) control.progress(++done, options.rounds * order.size(), "processes");
      if (!table.rows[i].missing.empty()) continue;
      auto timing = time_model(file, ways[i].runs, feeds, {options.seconds, kPatience}, control);
      if (!timing && timing.error().kind == ErrorKind::kInterrupted)
        return std::move(timing).error();
      if (timing) table.rows[i].processes.push_back(*timing);
      else table.rows[i].missing = timing.error().what;
    }
  }
  for (TableRow& row : table.rows) {
    if (!row.missing.empty()) continue;
    const Timing best = *fastest(row.processes);
    if (best.quiet >= kFewestQuiet) row.timing = best;
    else
      row.missing = "only " + std::to_string(best.quiet) + " of " + std::to_string(best.runs) +
                    " runs were quiet: other programs are using the CPUs";
  }
  EP_CHECK(measure_energy(ways, table, file, feeds, options, control));
  const Timing* plain = nullptr;
  for (std::size_t i = 0; i < table.plain; ++i)
    if (const auto& timing = table.rows[i].timing;
        timing && (!plain || timing->median < plain->median))
      plain = &*timing;
  if (const auto& planned = table.rows.back().timing; planned && plain)
    table.ratio = Table::Ratio{plain->median / planned->median, plain->low / planned->high,
                               plain->high / planned->low};
  return table;
}

}  // namespace edgeprobe::placement
