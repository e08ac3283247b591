// SPDX-License-Identifier: Apache-2.0
#include "stretch/search/table.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/private_folder.h"
#include "model/feeds.h"
#include "stretch/schedule.h"
#include "stretch/search/long_turns.h"

namespace edgeprobe::stretch {
namespace {

constexpr std::size_t kInputsCompared = 20;

/// A way, and how its processes are started.
struct Way {
  std::string name;
  Runs runs;
  std::string missing;
};

/// All pieces on the first processor, in an order in which they can run.
Plan in_sequence(const Plan& plan, const Schedule& schedule) {
  Plan one = plan;
  const std::string home = plan.programs.front().processor;
  std::erase_if(one.processors, [&](const Processor& processor) { return processor.name != home; });
  one.programs = {{home, {}}};
  for (const std::size_t piece : schedule.order)
    one.programs.front().steps.push_back({Step::Kind::kRun, plan.pieces[piece].name});
  return one;
}

Result<std::vector<Way>> ways_of(const Plan& plan, const Schedule& schedule,
                                 const TableOptions& options, const std::filesystem::path& folder) {
  const Processor& home = *std::find_if(
      plan.processors.begin(), plan.processors.end(),
      [&](const Processor& one) { return one.name == plan.programs.front().processor; });
  engine::SessionOptions base;
  base.folder = options.folder;
  const auto alone = runs_on(home, base);
  if (!alone) return alone.error();
  std::set<int> all;
  bool slowed = false;
  for (const Processor& processor : plan.processors) {
    all.insert(processor.cpus.begin(), processor.cpus.end());
    slowed = slowed || processor.emulated_slowdown > 1;
  }
  const std::string slow = slowed ? "the threads of a pool cannot be made slower on one CPU" : "";
  engine::SessionOptions together = alone->options;
  together.cpus.assign(all.begin(), all.end());
  together.threads = static_cast<int>(all.size());
  engine::SessionOptions parallel = together;
  engine::OnnxRuntimeOptions own;
  own.parallel = true;
  parallel.own = own;
  const bool has_parallel =
      alone->engine.kind == engine::kind_of(engine::EngineId::kOnnxRuntime).name;
  engine::EngineChoice planned, sequence;
  planned.kind = sequence.kind = engine::kind_of(engine::EngineId::kStretch).name;
  planned.library = folder / "plan.json";
  sequence.library = folder / "sequence.json";
  if (auto done = write_file(planned.library, view_of(to_json(plan))); !done) return done.error();
  if (auto done = write_file(sequence.library, view_of(to_json(in_sequence(plan, schedule))));
      !done)
    return done.error();
  return std::vector<Way>{
      {"one thread", *alone, ""},
      {"all cores", {alone->engine, together, 1, together.cpus}, slow},
      {"the engine's parallel mode",
       {alone->engine, parallel, 1, together.cpus},
       !slow.empty()  ? slow
       : has_parallel ? ""
                      : std::string("engine ") + alone->engine.kind + " has none"},
      {"pieces in sequence", {sequence, base, 1, home.cpus}, ""},
      {"pieces at once", {planned, base, 1, together.cpus}, ""}};
}

/// The outputs of each way beside those of the first.
Status compare(const std::vector<Way>& ways, Table& table, ByteView file,
               const std::vector<model::Feed>& feeds, const Control& control) {
  auto reference = load_model(file, ways.front().runs);
  if (!reference) return std::move(reference).error();
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (!table.rows[i].missing.empty()) continue;
    auto session = load_model(file, ways[i].runs);
    if (!session) {
      table.rows[i].missing = session.error().what;
      continue;
    }
    auto found = difference(**session, **reference, feeds, kInputsCompared, control);
    if (!found && found.error().kind == ErrorKind::kInterrupted) return std::move(found).error();
    if (found) table.rows[i].difference = *found;
    else table.rows[i].missing = found.error().what;
  }
  return {};
}

}  // namespace

Result<Table> table(const Plan& plan, const model::Graph& graph, ByteView file,
                    const TableOptions& options, const Control& control) {
  const LongTurns turns;
  const auto schedule = schedule_of(plan, graph);
  if (!schedule) return schedule.error();
  const auto folder = engine::PrivateFolder::create();
  if (!folder) return folder.error();
  const auto ways = ways_of(plan, *schedule, options, folder->path());
  if (!ways) return ways.error();
  Table table;
  table.macs = graph.macs();
  for (const Way& way : *ways) table.rows.push_back({way.name, {}, {}, {}, way.missing});
  const std::vector<model::Feed> feeds = model::feeds(graph);
  if (auto compared = compare(*ways, table, file, feeds, control); !compared)
    return std::move(compared).error();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ways->size(); ++i) order.push_back(i);
  std::mt19937 random(1);
  std::size_t done = 0;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      if (control.progress) control.progress(++done, options.rounds * order.size(), "processes");
      if (!table.rows[i].missing.empty()) continue;
      auto timing = time_model(file, (*ways)[i].runs, feeds, {options.seconds, kPatience}, control);
      if (!timing && timing.error().kind == ErrorKind::kInterrupted)
        return std::move(timing).error();
      if (timing) table.rows[i].processes.push_back(*timing);
      else table.rows[i].missing = timing.error().what;
    }
  }
  for (TableRow& row : table.rows) {
    if (!row.missing.empty()) continue;
    const Timing& best =
        *std::min_element(row.processes.begin(), row.processes.end(),
                          [](const Timing& a, const Timing& b) { return a.median < b.median; });
    if (best.quiet >= kFewestQuiet) row.timing = best;
    else
      row.missing = "only " + std::to_string(best.quiet) + " of " + std::to_string(best.runs) +
                    " runs were quiet: other programs are using the CPUs";
  }
  const auto& one = table.rows[0].timing;
  const auto& all = table.rows[1].timing;
  if (const auto& planned = table.rows.back().timing; planned && (one || all)) {
    const Timing& plain = one && (!all || one->median <= all->median) ? *one : *all;
    table.ratio = Table::Ratio{plain.median / planned->median, plain.low / planned->high,
                               plain.high / planned->low};
  }
  return table;
}

}  // namespace edgeprobe::stretch
