// SPDX-License-Identifier: Apache-2.0
#include "placement/search/table.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "bench/load.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/private_folder.h"
#include "model/feeds.h"
#include "placement/search/found.h"
#include "placement/search/quiet.h"
#include "placement/search/rounds.h"
#include "placement/search/session_energy.h"
#include "stretch/schedule.h"
#include "stretch/split/fit.h"
#include "stretch/split/part_groups.h"

namespace edgeprobe::placement {
namespace {

constexpr std::size_t kInputsCompared = 20;

/// A way to run the model, and how to start its processes.
struct TableWay {
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
Result<std::vector<TableWay>> delegated_ways(const stretch::Plan& plan,
                                             const engine::SessionOptions& base) {
  std::vector<TableWay> ways;
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
  base.input_shapes = options.inputs.shapes;
  return base;
}

Result<std::vector<TableWay>> ways_of(const stretch::Plan& plan, const stretch::Schedule& schedule,
                                      const TableOptions& options,
                                      const std::filesystem::path& folder) {
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
  return std::vector<TableWay>{
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
Result<TableWay> split_way(const stretch::Plan& plan, const model::Graph& graph, ByteView file,
                           const TableOptions& options, const std::filesystem::path& folder) {
  TableWay way{"layers split by channels", {}, ""};
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
Status measure_energy(const std::vector<TableWay>& ways, Table& table, ByteView file,
                      const std::vector<model::Feed>& feeds, const TableOptions& options,
                      const Control& control) {
  const meter::NetEnergy* first = nullptr;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    TableRow& row = table.rows[i];
    if (!row.evidence) continue;
    if (first && !first->joules && first->runs == 0) {
      row.energy.reason = first->reason;
      continue;
    }
    EP_TRY(auto session, load_model(file, ways[i].runs));
    std::vector<Tensor> inputs = ways[i].runs.inputs;
    if (inputs.empty()) {
      EP_TRY(inputs, bench::random_inputs(session->inputs(), 1, feeds));
    }
    EP_CHECK(warm_up_for(*session, inputs, options.seconds, control));
    EP_TRY(row.energy, session_energy(*session, {inputs}, options.energy, control));
    if (!first) first = &row.energy;
  }
  return {};
}

/// The given inputs, or random ones, in the form of this session's.
Result<std::vector<std::vector<Tensor>>> compared_inputs(const engine::Session& session,
                                                         const std::vector<model::Feed>& feeds,
                                                         const GivenInputs& given) {
  if (!given.real) return random_lists(session, feeds, kInputsCompared);
  EP_TRY(auto inputs, given.real(session.inputs()));
  if (inputs.size() > kInputsCompared) inputs.resize(kInputsCompared);
  return inputs;
}

/// Compares the outputs of each way with those of the first; with given inputs, all are timed with
/// the first of them.
Status compare(std::vector<TableWay>& ways, Table& table, ByteView file,
               const std::vector<model::Feed>& feeds, const GivenInputs& given,
               const Control& control) {
  EP_TRY(auto reference, load_model(file, ways.front().runs));
  EP_TRY(const auto inputs, compared_inputs(*reference, feeds, given));
  if (inputs.empty()) return Error{ErrorKind::kUsage, "--data has no sample to measure with"};
  for (TableWay& way : ways)
    if (given.real) way.runs.inputs = inputs.front();
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (!table.rows[i].missing.empty()) continue;
    auto session = load_model(file, ways[i].runs);
    if (!session) {
      table.rows[i].missing = session.error().what;
      continue;
    }
    auto found = difference(**session, *reference, inputs, control);
    if (!found && found.error().kind == ErrorKind::kInterrupted) return std::move(found).error();
    if (found) table.rows[i].difference = *found;
    else table.rows[i].missing = found.error().what;
  }
  return {};
}

/// A row by the timings so far. Only the plan and what `ratio` compares it with decide anything.
Way way_of(const TableRow& row, const Runs& runs, bool is_plain, bool computes_elsewhere) {
  Way way;
  way.is_plain = is_plain;
  const bool planned = runs.engine.kind == engine::kind_of(engine::EngineId::kStretch).name;
  way.is_pool = !planned && runs.options.threads > 1;
  const bool elsewhere =
      planned ? computes_elsewhere : !runs.options.delegates.empty() || runs.slowdown > 1;
  way.threads = elsewhere ? 0 : std::max<std::size_t>(runs.cpus.size(), 1);
  if (row.missing.empty()) way.processes = row.processes;
  return way;
}

/// "only 1 of 4 processes was quiet (12 of 80 runs): other programs are using the CPUs".
std::string lacking_text(const Evidence& figures) {
  return "only " + std::to_string(figures.quiet_processes) + " of " +
         std::to_string(figures.processes) +
         (figures.quiet_processes == 1 ? " processes was quiet (" : " processes were quiet (") +
         std::to_string(figures.quiet) + " of " + std::to_string(figures.runs) +
         " runs), and figures need " + std::to_string(kFewestProcesses) +
         ": other programs are using the CPUs";
}

/// The rows that `ratio` compares, the plan last.
std::vector<std::size_t> compared(const Table& table) {
  std::vector<std::size_t> rows(table.plain);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  rows.push_back(table.rows.size() - 1);
  return rows;
}

/// Processes of all rows, their figures or the reasons without, and the ratio.
class TableTimes {
 public:
  TableTimes(const std::vector<TableWay>& ways, Table& table, bool computes_elsewhere)
      : ways_(ways), table_(table), elsewhere_(computes_elsewhere) {}

  Status measure(ByteView file, const std::vector<model::Feed>& feeds, const TableOptions& options,
                 const Control& control);
  void conclude();

 private:
  Way way(std::size_t row) const {
    return way_of(table_.rows[row], ways_[row].runs, row < table_.plain, elsewhere_);
  }
  /// All rows; those that are not compared decide nothing.
  std::vector<Way> contenders() const {
    std::vector<Way> all(table_.rows.size());
    for (const std::size_t row : compared(table_)) all[row] = way(row);
    return all;
  }

  const std::vector<TableWay>& ways_;
  Table& table_;
  bool elsewhere_;
};

Status TableTimes::measure(ByteView file, const std::vector<model::Feed>& feeds,
                           const TableOptions& options, const Control& control) {
  std::size_t done = 0, planned = 0;
  const auto time_once = [&](std::size_t index) -> Status {
    TableRow& row = table_.rows[index];
    ++done;
    if (control.progress) control.progress(done, std::max(done, planned), "processes");
    if (!row.missing.empty()) return {};
    auto timing = time_model(file, ways_[index].runs, feeds, {options.seconds, kPatience}, control);
    if (!timing && timing.error().kind == ErrorKind::kInterrupted) return std::move(timing).error();
    if (timing) row.processes.push_back(*timing);
    else row.missing = timing.error().what;
    return {};
  };
  EP_CHECK(measure_rounds(
      options.rounds, [&] { return contenders(); }, time_once,
      [&](std::size_t further) { planned = done + further; }));
  // The others show what they cost; they need no more than their own evidence.
  for (std::size_t row = table_.plain; row + 1 < table_.rows.size(); ++row)
    while (table_.rows[row].missing.empty() &&
           table_.rows[row].processes.size() < 2 * kFewestProcesses &&
           !evidence_of(way(row)).value_or(Evidence{}).is_enough())
      EP_CHECK(time_once(row));
  return {};
}

void TableTimes::conclude() {
  const Verdict verdict = judge(contenders());
  for (std::size_t i = 0; i < table_.rows.size(); ++i) {
    TableRow& row = table_.rows[i];
    if (!row.missing.empty()) continue;
    auto figures = evidence_of(way(i));
    if (figures && figures->is_enough()) row.evidence = std::move(figures);
    else row.missing = figures ? lacking_text(*figures) : "it was not measured";
  }
  const auto& planned = table_.rows.back().evidence;
  if (!planned || !verdict.plain || !table_.rows[*verdict.plain].evidence) return;
  // One that lacks evidence may be faster than the fastest that has it.
  if (std::any_of(verdict.lacking.begin(), verdict.lacking.end(), [&](std::size_t row) {
        return row < table_.plain || row + 1 == table_.rows.size();
      }))
    return;
  const Evidence& plain = *table_.rows[*verdict.plain].evidence;
  table_.ratio = Table::Ratio{plain.median / planned->median, *plain.low / *planned->high,
                              *plain.high / *planned->low};
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
  EP_CHECK(compare(ways, table, file, feeds, options.inputs, control));
  TableTimes times(ways, table,
                   std::any_of(plan.processors.begin(), plan.processors.end(),
                               [](const stretch::Processor& processor) {
                                 return !processor.delegate.empty() ||
                                        processor.emulated_slowdown > 1;
                               }));
  EP_CHECK(times.measure(file, feeds, options, control));
  times.conclude();
  EP_CHECK(measure_energy(ways, table, file, feeds, options, control));
  return table;
}

}  // namespace edgeprobe::placement
