// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/json.h"
#include "bench/load.h"
#include "bench/turns.h"
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
#include "engine/kinds.h"
#include "engine/target.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe bench diff A B`: is B slower? kDiffers if it is, kUndecided if that is
/// uncertain. A and B are models, measured alternately, or results of `bench --json`.
struct BenchDiffArgs {
  std::string a, b;
  std::vector<std::string> files_a, files_b;  ///< Result files, instead of `a` and `b`.
  std::string threshold = "5%", layer_floor = "1%";
  bool force = false;
  JsonFlag json;
  // The following apply only to models.
  PipelineFlags pipeline;  ///< For A, and for B unless set separately.
  std::optional<std::string> b_engine, b_kernels, b_optimization;
  std::optional<int> b_threads;
  std::size_t rounds = 30;
  double duration_s = 1, warm_up_s = 0.5;
  bool layers = false;
  std::uint64_t seed = 1;
};

namespace {

/// JSON begins with a brace; no model file does.
Result<bool> is_result(const std::string& path) {
  EP_TRY(const auto file, MappedFile::open(path));
  const std::string_view text = file.bytes().text();
  const auto start = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return start == std::string_view::npos || text[start] == '{';
}

Result<std::vector<bench::Results>> results_of(const std::vector<std::string>& paths) {
  std::vector<bench::Results> all;
  for (const std::string& path : paths) {
    EP_TRY(const auto bytes, read_file(path));
    auto results = bench::results_from_json(ByteView(bytes).text());
    if (!results) return std::move(results).error().during("'" + sanitized(path, 300) + "'");
    all.push_back(std::move(*results));
  }
  return all;
}

Result<bench::Diff> diff_of_files(const std::vector<std::string>& of_a,
                                  const std::vector<std::string>& of_b,
                                  const bench::DiffOptions& options) {
  EP_TRY(const auto a, results_of(of_a));
  EP_TRY(const auto b, results_of(of_b));
  return bench::diff(a, b, options);
}

Result<bench::Side> side_of(PipelineFlags flags, const std::string& model) {
  flags.model = model;
  EP_TRY(const auto spec, spec_from(flags));
  EP_TRY(auto opened, bench::open_model(flags.model, spec.engine, spec.session));
  EP_CHECK(pipeline::resize_inputs(opened.graph ? &*opened.graph : nullptr, spec.input_shapes,
                                   spec.engine, opened.session));
  bench::Side side{std::move(opened), {}, options_text(flags)};
  side.options = side.model.session;
  return side;
}

PipelineFlags flags_of_b(const BenchDiffArgs& args) {
  PipelineFlags flags = args.pipeline;
  flags.engine = args.b_engine.value_or(flags.engine);
  flags.kernels = args.b_kernels.value_or(flags.kernels);
  flags.optimization = args.b_optimization.value_or(flags.optimization);
  const auto engine = engine::engine_choice_from_text(flags.engine);
  const auto* const kind = engine ? engine::find_kind(engine->kind) : nullptr;
  // A's threads and CPUs do not apply to a plan for B.
  if (args.b_engine && kind && kind->planned) {
    flags.threads.reset();
    flags.cpus.clear();
  }
  if (args.b_threads) flags.threads = args.b_threads;
  return flags;
}

Result<bench::Diff> diff_of_models(const BenchDiffArgs& args, const bench::DiffOptions& options,
                                   Terminal& terminal) {
  bench::TurnPlan plan;
  if (args.rounds < plan.fewest || args.rounds > 10'000)
    return Error{ErrorKind::kUsage, "--rounds " + std::to_string(args.rounds) + ": expected " +
                                        std::to_string(plan.fewest) +
                                        " to 10000; fewer cannot distinguish a change from chance"};
  if (!(args.duration_s > 0) || args.duration_s > 3600)
    return Error{ErrorKind::kUsage, "--duration " + number(args.duration_s) +
                                        ": expected seconds, above 0 and at most 3600"};
  if (!(args.warm_up_s >= 0) || args.warm_up_s > 3600)
    return Error{ErrorKind::kUsage,
                 "--warm-up " + number(args.warm_up_s) + ": expected seconds, at most 3600"};
  if (options.threshold <= 0)
    return Error{ErrorKind::kUsage,
                 "--threshold 0: rounds go on until the ratio is known better than the threshold, "
                 "which must be above 0"};
  plan.most = args.rounds;
  plan.duration = args.duration_s;
  plan.warm_up_limit = args.warm_up_s;
  plan.layers = args.layers;
  EP_TRY(auto a, side_of(args.pipeline, args.a));
  EP_TRY(auto b, side_of(flags_of_b(args), args.b.empty() ? args.a : args.b));
  const bench::InputMaker inputs =
      [&](const std::vector<TensorSpec>& specs) -> Result<bench::Inputs> {
    EP_TRY(auto random, bench::random_inputs(specs, args.seed, a.model.feeds));
    return bench::Inputs{std::move(random)};
  };
  Result<bench::Turns> turns = Error{};
  {
    Progress progress(terminal, "bench diff");
    turns = bench::measure_in_turns(a, b, plan, options.threshold, inputs,
                                    {terminal.stop, progress.callback()});
  }
  if (!turns) return std::move(turns).error();
  for (const std::string& warning : turns->warnings)
    terminal.err << "warning: " << sanitized(warning, 400) << "\n";
  return bench::diff(*turns, options);
}

Result<bench::Diff> diff_of(const BenchDiffArgs& args, const bench::DiffOptions& options,
                            Terminal& terminal) {
  if (!args.files_a.empty() || !args.files_b.empty()) {
    if (!args.a.empty() || args.files_a.empty() || args.files_b.empty())
      return Error{ErrorKind::kUsage,
                   "give the results of both sides with --a A1.json A2.json … --b B1.json B2.json "
                   "…, and nothing else"};
    return diff_of_files(args.files_a, args.files_b, options);
  }
  if (args.a.empty())
    return Error{
        ErrorKind::kUsage,
        "give two models, two results, or --a and --b\nRun 'edgeprobe bench diff --help'."};
  const bool options_of_b =
      args.b_engine || args.b_kernels || args.b_optimization || args.b_threads;
  if (args.b.empty() && !options_of_b)
    return Error{ErrorKind::kUsage,
                 "B is missing: another model or result, or how B runs the same model (--b-engine, "
                 "--b-kernels, --b-optimization, --b-threads)"};
  EP_TRY(const bool result_a, is_result(args.a));
  EP_TRY(const bool result_b, args.b.empty() ? Result<bool>(result_a) : is_result(args.b));
  if (result_a != result_b)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(result_a ? args.a : args.b, 200) + "' is JSON, '" +
                     sanitized(result_a ? args.b : args.a, 200) +
                     "' a model: give two models, or two results of 'bench --json'"};
  if (result_a && (options_of_b || args.b.empty()))
    return Error{ErrorKind::kUsage,
                 "--b-engine and the like are for models; the results say how they were measured"};
  return result_a ? diff_of_files({args.a}, {args.b}, options)
                  : diff_of_models(args, options, terminal);
}

}  // namespace

Result<Outcome> run(const BenchDiffArgs& args, Terminal& terminal) {
  bench::DiffOptions options;
  options.force = args.force;
  EP_TRY(const auto threshold, share_from_text(args.threshold, "--threshold"));
  EP_TRY(const auto floor, share_from_text(args.layer_floor, "--layer-floor"));
  options.threshold = threshold;
  options.layer_floor = floor;
  EP_CHECK(check_texts(
      {{"--json", args.json.file}},
      joined(files_of(args.pipeline), std::vector{args.a, args.b}, args.files_a, args.files_b)));
  EP_TRY(const auto diff, diff_of(args, options, terminal));
  if (args.json.wanted)
    EP_CHECK(write_result(args.json, bench::to_json(diff, options), terminal.out));
  if (!args.json.wanted || !args.json.file.empty()) terminal.out << bench_text(diff, options);
  if (terminal.stopped())
    return Error{ErrorKind::kInterrupted,
                 "stopped by the user; what is above is of the rounds until then"};
  return diff.slower ? Outcome::kDiffers : diff.undecided ? Outcome::kUndecided : Outcome::kDone;
}

Work declare_bench_diff(Parser& parser) {
  auto args = std::make_shared<BenchDiffArgs>();
  parser.option("a", args->a, "A model, or a result of 'bench --json'");
  parser.option("b", args->b, "The same for B; by default the model of A with the --b- flags");
  parser.option("--a", args->files_a, "Several results of A, in the order of measurement")
      .values(1, 1000)
      .type("FILE ...");
  parser
      .option("--b", args->files_b,
              "The same number of results of B, each measured close to the one of A")
      .values(1, 1000)
      .type("FILE ...");
  parser.option("--threshold", args->threshold, "Smallest change of a median that counts")
      .shows_default();
  parser
      .option("--layer-floor", args->layer_floor,
              "Smallest change of a layer that counts, as a fraction of a whole inference")
      .shows_default();
  parser.flag("--force", args->force, "Also compare results of different models or machines");
  add_json(parser, args->json);
  parser
      .option("--rounds", args->rounds,
              "Models: maximum number of rounds, each with a fresh process of A and of B; it stops "
              "earlier if the ratio is known well enough")
      .shows_default();
  parser.option("--duration", args->duration_s, "Models: seconds of timed runs per round")
      .shows_default();
  parser.option("--warm-up", args->warm_up_s, "Models: maximum seconds of warm-up per process")
      .shows_default();
  parser.flag("--layers", args->layers, "Models: also compare the time of each layer");
  parser.option("--seed", args->seed, "Models: seed of the random inputs").shows_default();
  parser.option("--b-engine", args->b_engine, "Another engine or library for B").group("Engine");
  parser.option("--b-kernels", args->b_kernels, "Other kernels for B").group("Engine");
  parser.option("--b-optimization", args->b_optimization, "Another level for B").group("Engine");
  parser.option("--b-threads", args->b_threads, "Another number of threads for B").group("Engine");
  add_python(parser, args->pipeline, "");
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
