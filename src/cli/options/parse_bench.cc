// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/bench_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_bench_diff(Parser& parser) {
  auto args = std::make_shared<BenchDiffArgs>();
  parser.option("a", args->a, "A model, or what 'bench --json' wrote");
  parser.option("b", args->b,
                "The same for B; without it the model of A, run as the --b- flags say");
  parser.option("--a", args->files_a, "Several results of A, in the order in which they were taken")
      .values(1, 1000)
      .type("FILE ...");
  parser.option("--b", args->files_b, "As many of B, each taken soon after or before the one of A")
      .values(1, 1000)
      .type("FILE ...");
  parser.option("--threshold", args->threshold, "Changes of a median below this share are none")
      .shows_default();
  parser
      .option("--layer-floor", args->layer_floor,
              "A layer's change counts from this share of a whole inference on")
      .shows_default();
  parser.flag("--force", args->force, "Compare results of other models and other machines too");
  add_json(parser, args->json);
  parser
      .option("--rounds", args->rounds,
              "Models: at most so many rounds, each a fresh process of A and of B; fewer when "
              "the ratio is known well enough")
      .shows_default();
  parser.option("--duration", args->duration_s, "Models: seconds of timed runs in a round")
      .shows_default();
  parser
      .option("--warm-up", args->warm_up_s,
              "Models: at most so many seconds of warm-up of each process")
      .shows_default();
  parser.flag("--layers", args->layers, "Models: also the time of each layer");
  parser.option("--seed", args->seed, "Models: of the random inputs").shows_default();
  parser.option("--b-engine", args->b_engine, "Another engine or library for B").group("Engine");
  parser.option("--b-kernels", args->b_kernels, "Other kernels for B").group("Engine");
  parser.option("--b-optimization", args->b_optimization, "Another level for B").group("Engine");
  parser.option("--b-threads", args->b_threads, "Another number of threads for B").group("Engine");
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

Work declare_bench(Parser& parser) {
  auto args = std::make_shared<BenchArgs>();
  // 'bench diff' has no MODEL: run() asks for it.
  parser.option("model", args->pipeline.model, "A model file: .tflite, .onnx, …");
  parser.option("--duration", args->duration_s, "Seconds of timed runs for each configuration")
      .shows_default();
  parser.option("--runs", args->runs, "That many timed runs instead")
      .range(std::size_t{1}, std::size_t{10'000'000});
  parser
      .option("--warm-up", args->warm_up_s,
              "At most so many seconds of warm-up; it ends when the latency is stable")
      .shows_default();
  parser
      .option("--noise", args->noise,
              "A run is noisy when its threads waited for a CPU for more than this share of its "
              "latency")
      .shows_default();
  parser.option("--scenario", args->scenario, "single-stream: latency; offline: samples a second")
      .shows_default();
  parser
      .option("--streams", args->streams, "Offline: sessions at once, each in a process of its own")
      .shows_default();
  parser
      .option("--batch", args->batch,
              "Samples in one inference, where the model's first dimension allows")
      .shows_default();
  parser.flag(
      "--layers", args->layers,
      "Also the time of each layer and of each type of layer, and what recording them costs");
  parser.option("--cold", args->cold, "Also N starts in fresh processes, phase by phase")
      .range(std::size_t{0}, std::size_t{10'000});
  parser.option("--seed", args->seed, "Of the random inputs").shows_default();
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing for --data: text or a file");
  add_data(parser, args->data, false);
  parser
      .option("--perfetto", args->perfetto,
              "Write runs, layers and meters as a Chrome trace (ui.perfetto.dev)")
      .type("FILE");
  add_json(parser, args->json);
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
