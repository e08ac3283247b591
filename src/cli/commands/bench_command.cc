// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/json.h"
#include "bench/load.h"
#include "bench/measure.h"
#include "cli/commands/model_inputs.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/values.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/bench_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe bench MODEL`: measures speed and its uncertainty. `pipeline.threads` and
/// `pipeline.cpus` are not used: both are swept.
struct BenchArgs {
  PipelineFlags pipeline;
  DataFlags data;
  std::optional<std::string> threads;  ///< Such as "1,2". Unset: one thread, or the plan's count.
  std::vector<std::string> cpus;       ///< One set of CPUs per entry; empty: all.
  double duration_s = 5;
  std::size_t runs = 0;  ///< 0: run for `duration_s`.
  double warm_up_s = 10;
  /// A run is noisy if its run delay exceeds this fraction of the latency.
  std::string noise = "5%";
  std::string scenario = "single-stream";
  int streams = 1, batch = 1;
  bool layers = false;
  std::size_t cold = 0;
  std::uint64_t seed = 1;
  std::string perfetto;
  JsonFlag json;
};

namespace {

Result<std::vector<int>> threads_from(const std::string& text) {
  std::vector<int> counts;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    int count = 0;
    const auto [next, failure] = std::from_chars(at, end, count);
    if (failure != std::errc{} || count < 1 || count > 256 || (next != end && *next != ','))
      return Error{ErrorKind::kUsage, "--threads '" + sanitized(text, 60) +
                                          "': expected numbers from 1 to 256, e.g. 1,2,4"};
    if (std::find(counts.begin(), counts.end(), count) == counts.end()) counts.push_back(count);
    if (next == end) return counts;
    at = next + 1;
  }
}

Result<bench::Plan> plan_from(const BenchArgs& args) {
  bench::Plan plan;
  const auto scenario = bench::scenario_from_name(args.scenario);
  if (!scenario)
    return Error{ErrorKind::kUsage, "--scenario '" + sanitized(args.scenario) +
                                        "': expected single-stream or offline"};
  plan.scenario = *scenario;
  if (!(args.duration_s > 0) || args.duration_s > 86'400)
    return Error{ErrorKind::kUsage, "--duration " + number(args.duration_s) +
                                        ": expected seconds, above 0 and at most 86400"};
  if (!(args.warm_up_s >= 0) || args.warm_up_s > 86'400)
    return Error{ErrorKind::kUsage,
                 "--warm-up " + number(args.warm_up_s) + ": expected seconds, at most 86400"};
  if (args.batch < 1 || args.batch > 65'536)
    return Error{ErrorKind::kUsage,
                 "--batch " + std::to_string(args.batch) + ": expected 1 to 65536"};
  if (args.streams < 1 || args.streams > 64)
    return Error{ErrorKind::kUsage,
                 "--streams " + std::to_string(args.streams) + ": expected 1 to 64"};
  if (args.streams > 1 && plan.scenario != bench::Scenario::kOffline)
    return Error{ErrorKind::kUsage, "--streams " + std::to_string(args.streams) +
                                        " is for --scenario offline; a single stream is one"};
  if (args.batch > 1 && !args.data.data.empty())
    return Error{ErrorKind::kUsage, "--batch takes random inputs; leave --data out"};
  if (!args.data.data.empty() && plan.scenario == bench::Scenario::kOffline)
    return Error{ErrorKind::kUsage, "--scenario offline takes random inputs; leave --data out"};
  if (args.data.data.empty() && (!args.pipeline.recipe.empty()))
    return Error{ErrorKind::kUsage, "--recipe prepares the pictures of --data, which is not given"};
  EP_TRY(plan.noisy_share, share_from_text(args.noise, "--noise"));
  if (args.runs > 0) plan.runs = args.runs;
  plan.duration = args.duration_s;
  plan.warm_up_limit = args.warm_up_s;
  plan.streams = args.streams;
  plan.batch = args.batch;
  plan.layers = args.layers;
  plan.cold = args.cold;
  return plan;
}

/// The pictures of --data in the model's input form.
Result<bench::Inputs> inputs_from(const BenchArgs& args, Terminal& terminal) {
  EP_TRY(const auto samples, samples_from(args.data, terminal));
  EP_TRY(auto spec, spec_from(args.pipeline, samples));
  EP_TRY(auto pipeline, pipeline::open(spec, terminal.control()));
  if (pipeline.default_recipe)
    terminal.err << "no recipe given; using: " << preprocess::to_text(pipeline.recipe) << "\n";
  return model_inputs(samples, pipeline, terminal);
}

Status write_results(const BenchArgs& args, const bench::Results& results, Terminal& terminal) {
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, bench::to_json(results, EDGEPROBE_VERSION), terminal.out));
  if (!args.perfetto.empty())
    EP_CHECK(write_file(args.perfetto, view_of(bench::to_events(results))));
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << bench_text(results);
  return {};
}

}  // namespace

Result<Outcome> run(const BenchArgs& args, Terminal& terminal) {
  if (args.pipeline.model.empty())
    return Error{ErrorKind::kUsage,
                 "give a MODEL to measure, or 'diff A.json B.json'\nRun 'edgeprobe bench --help'."};
  EP_TRY(auto plan, plan_from(args));
  EP_TRY(const auto threads, threads_from(args.threads.value_or("1")));
  std::vector<std::vector<int>> cpu_sets;
  for (const std::string& text : args.cpus) {
    EP_TRY(auto set, cpus_from_text(text));
    cpu_sets.push_back(std::move(set));
  }
  if (cpu_sets.empty()) cpu_sets.emplace_back();
  PipelineFlags flags = args.pipeline;
  if (args.threads) flags.threads = threads.front();
  EP_TRY(const auto spec, spec_from(flags));
  EP_CHECK(check_texts({{"--json", args.json.file}, {"--perfetto", args.perfetto}},
                       joined(files_of(args.pipeline), files_of(args.data))));
  EP_TRY(auto model, bench::open_model(args.pipeline.model, spec.engine, spec.session));
  EP_CHECK(pipeline::resize_inputs(model.graph ? &*model.graph : nullptr, spec.input_shapes,
                                   spec.engine, model.session));
  EP_CHECK(bench::set_batch(model, args.batch));

  bench::Results results;
  results.machine = meter::machine({});
  results.noisy_share = plan.noisy_share;
  results.subject.model = model.path.filename().string();
  results.subject.sha256 = sha256(model.file.view());
  results.subject.file_size = model.file.view().size;
  results.subject.format = model.graph ? model.graph->format : "compiled";
  results.subject.options = options_text(args.pipeline);
  bench::Inputs prepared;
  if (!args.data.data.empty()) {
    EP_TRY(prepared, inputs_from(args, terminal));
  }
  results.subject.inputs = prepared.empty()
                               ? "random, seed " + std::to_string(args.seed) +
                                     (model.feeds.empty() ? "" : "; " + model::to_text(model.feeds))
                               : std::to_string(prepared.size()) + " samples";
  const bench::InputMaker make =
      [&](const std::vector<TensorSpec>& specs) -> Result<bench::Inputs> {
    if (!prepared.empty()) return prepared;
    EP_TRY(auto random, bench::random_inputs(specs, args.seed, model.feeds));
    return bench::Inputs{std::move(random)};
  };

  Error stopped_by{ErrorKind::kInterrupted, ""};
  for (const std::vector<int>& cpus : cpu_sets)
    for (const int count : threads) {
      if (results.stopped) break;
      engine::SessionOptions options = model.session;
      options.threads = count;
      options.cpus = cpus;
      Progress progress(terminal,
                        "bench, " + std::to_string(count) + (count == 1 ? " thread" : " threads"));
      const Control control{terminal.stop, progress.callback()};
      auto measured = bench::measure(model, options, plan, make, control, results.subject.engine);
      results.subject.kernels = engine::kernels_used(results.subject.engine, options);
      if (!measured) {
        // Keeps the results of other configurations.
        results.stopped = true;
        stopped_by = std::move(measured).error();
        break;
      }
      for (const std::string& warning : measured->warnings)
        terminal.err << "warning: " << measured->name << ": " << warning << "\n";
      results.stopped = measured->stopped;
      results.configurations.push_back(std::move(*measured));
    }
  if (!results.configurations.empty()) EP_CHECK(write_results(args, results, terminal));
  if (!results.stopped) return Outcome::kDone;
  const std::size_t wanted = cpu_sets.size() * threads.size();
  if (stopped_by.kind != ErrorKind::kInterrupted)
    return results.configurations.empty()
               ? stopped_by
               : std::move(stopped_by)
                     .during("after " + std::to_string(results.configurations.size()) + " of " +
                             std::to_string(wanted) + " configurations");
  return Error{ErrorKind::kInterrupted,
               results.configurations.empty()
                   ? "stopped by the user before anything was measured"
                   : "stopped by the user; what was measured until then is kept (" +
                         std::to_string(results.configurations.size()) + " of " +
                         std::to_string(wanted) + " configurations)"};
}

Work declare_bench(Parser& parser) {
  auto args = std::make_shared<BenchArgs>();
  // 'bench diff' has no MODEL, so run() checks for it.
  parser.option("model", args->pipeline.model, "A model file: .tflite, .onnx, …");
  parser.option("--duration", args->duration_s, "Seconds of timed runs for each configuration")
      .shows_default();
  parser.option("--runs", args->runs, "Number of timed runs, instead of --duration")
      .range(std::size_t{1}, std::size_t{10'000'000});
  parser
      .option("--warm-up", args->warm_up_s,
              "Maximum seconds of warm-up; it ends when the latency is stable")
      .shows_default();
  parser
      .option("--noise", args->noise,
              "A run is noisy if its threads waited for a CPU for more than this fraction of its "
              "latency")
      .shows_default();
  parser.option("--scenario", args->scenario, "single-stream: latency; offline: samples per second")
      .shows_default();
  parser
      .option("--streams", args->streams,
              "Offline: number of parallel sessions, each in its own process")
      .shows_default();
  parser
      .option("--batch", args->batch,
              "Samples per inference, if the model's first dimension can be resized")
      .shows_default();
  parser.flag("--layers", args->layers,
              "Also measure the time of each layer and layer type, and the cost of recording them");
  parser.option("--cold", args->cold, "Also measure N starts in fresh processes, phase by phase")
      .range(std::size_t{0}, std::size_t{10'000});
  parser.option("--seed", args->seed, "Seed of the random inputs").shows_default();
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing for --data: text or a file");
  add_data(parser, args->data, false);
  parser
      .option("--perfetto", args->perfetto,
              "Write runs, layers and meters as a Chrome trace (ui.perfetto.dev)")
      .type("FILE");
  add_json(parser, args->json);
  add_python(parser, args->pipeline, "", &args->data);
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  parser.remove("--threads");
  parser.option("--threads", args->threads, "Threads of the engine, or several numbers: 1,2,4")
      .shows_default("1")
      .group("Engine");
  parser
      .option("--cpus", args->cpus,
              "The CPUs that may run the engine, e.g. 0,2-3 (default: all); repeat it for a sweep")
      .repeatable()
      .group("Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
