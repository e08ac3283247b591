// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/bench_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {
namespace {

void add_diff(CLI::App& bench, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<BenchDiffArgs>(
      bench, "diff",
      "Is B slower than A, in all or in one layer? Two models are measured in turns, results of "
      "'bench --json' are read. "
      "Exit code 3 when B is slower, 4 when that cannot be told",
      "edgeprobe bench diff models/signs_float.tflite models/signs_int8.tflite --rounds 10\n"
      "  edgeprobe bench diff --a a1.json a2.json a3.json --b b1.json b2.json b3.json",
      chosen, sub);
  sub->add_option("a", args->a, "A model, or what 'bench --json' wrote");
  sub->add_option("b", args->b,
                  "The same for B; without it the model of A, run as the --b- flags say");
  sub->add_option("--a", args->files_a,
                  "Several results of A, in the order in which they were taken")
      ->expected(1, 1000)
      ->type_name("FILE ...");
  sub->add_option("--b", args->files_b,
                  "As many of B, each taken soon after or before the one of A")
      ->expected(1, 1000)
      ->type_name("FILE ...");
  sub->add_option("--threshold", args->threshold, "Changes of a median below this share are none")
      ->capture_default_str();
  sub->add_option("--layer-floor", args->layer_floor,
                  "A layer's change counts from this share of a whole inference on")
      ->capture_default_str();
  sub->add_flag("--force", args->force, "Compare results of other models and other machines too");
  add_json(*sub, args->json);
  sub->add_option("--rounds", args->rounds,
                  "Models: at most so many rounds, each a fresh process of A and of B; fewer when "
                  "the ratio is known well enough")
      ->capture_default_str();
  sub->add_option("--duration", args->duration_s, "Models: seconds of timed runs in a round")
      ->capture_default_str();
  sub->add_option("--warm-up", args->warm_up_s,
                  "Models: at most so many seconds of warm-up of each process")
      ->capture_default_str();
  sub->add_flag("--layers", args->layers, "Models: also the time of each layer");
  sub->add_option("--seed", args->seed, "Models: of the random inputs")->capture_default_str();
  sub->add_option("--b-engine", args->b_engine, "Another engine or library for B")->group("Engine");
  sub->add_option("--b-kernels", args->b_kernels, "Other kernels for B")->group("Engine");
  sub->add_option("--b-optimization", args->b_optimization, "Another level for B")->group("Engine");
  sub->add_option("--b-threads", args->b_threads, "Another number of threads for B")
      ->group("Engine");
  add_engine(*sub, args->pipeline, "", "Engine");
  add_target(*sub, args->pipeline, "Engine");
  add_cpus(*sub, args->pipeline, "", "Engine");
}

}  // namespace

void add_bench(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<BenchArgs>(
      app, "bench",
      "How fast a model runs, how sure that is, and in which layers (docs/guides/bench.md)",
      "edgeprobe bench models/signs_float.tflite --threads 1,2 --layers --json before.json\n"
      "  edgeprobe bench diff models/signs_float.tflite models/signs_int8.tflite --rounds 10",
      chosen, sub);
  // 'bench diff' has no MODEL: run() asks for it.
  sub->callback([sub, args, &chosen] {
    if (sub->get_subcommands().empty())
      chosen = [args](Terminal& terminal) { return run(*args, terminal); };
  });
  sub->add_option("model", args->pipeline.model, "A model file: .tflite, .onnx, …");
  sub->add_option("--duration", args->duration_s, "Seconds of timed runs for each configuration")
      ->capture_default_str();
  sub->add_option("--runs", args->runs, "That many timed runs instead")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  sub->add_option("--warm-up", args->warm_up_s,
                  "At most so many seconds of warm-up; it ends when the latency is stable")
      ->capture_default_str();
  sub->add_option(
         "--noise", args->noise,
         "A run is noisy when its threads waited for a CPU for more than this share of its latency")
      ->capture_default_str();
  sub->add_option("--scenario", args->scenario, "single-stream: latency; offline: samples a second")
      ->capture_default_str();
  sub->add_option("--streams", args->streams,
                  "Offline: sessions at once, each in a process of its own")
      ->capture_default_str();
  sub->add_option("--batch", args->batch,
                  "Samples in one inference, where the model's first dimension allows")
      ->capture_default_str();
  sub->add_flag(
      "--layers", args->layers,
      "Also the time of each layer and of each type of layer, and what recording them costs");
  sub->add_option("--cold", args->cold, "Also N starts in fresh processes, phase by phase")
      ->check(CLI::Range(std::size_t{0}, std::size_t{10'000}));
  sub->add_option("--seed", args->seed, "Of the random inputs")->capture_default_str();
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "Pre-processing for --data: text or a file");
  add_data(*sub, args->data, false);
  sub->add_option("--perfetto", args->perfetto,
                  "Write runs, layers and meters as a Chrome trace (ui.perfetto.dev)")
      ->type_name("FILE");
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
  add_target(*sub, args->pipeline, "Engine");
  sub->remove_option(sub->get_option("--threads"));
  sub->add_option("--threads", args->threads, "Threads of the engine, or several numbers: 1,2,4")
      ->default_str("1")
      ->group("Engine");
  sub->add_option(
         "--cpus", args->cpus,
         "The CPUs that may run the engine, e.g. 0,2-3 (default: all); repeat it for a sweep")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Engine");
  add_diff(*sub, chosen);
}

}  // namespace edgeprobe::cli
