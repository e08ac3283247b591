#include "cli/bench_command.h"
#include "cli/parse_verbs.h"

namespace edgeprobe::cli {
namespace {

void add_diff(CLI::App& bench, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<BenchDiffArgs>(bench, "diff", "Is B slower than A, in all or in one layer? Exit code 3 when it is",
                                  "edgeprobe bench diff before.json after.json --threshold 5%", chosen, sub);
  sub->add_option("a", args->a, "What 'bench --json' wrote")->required();
  sub->add_option("b", args->b, "The same, later")->required();
  sub->add_option("--threshold", args->threshold, "Changes of a median below this share are none")->capture_default_str();
  sub->add_option("--layer-floor", args->layer_floor, "A layer's change counts from this share of a whole inference on")->capture_default_str();
  sub->add_flag("--force", args->force, "Compare other models and other machines too");
  add_json(*sub, args->json);
}

}  // namespace

void add_bench(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<BenchArgs>(app, "bench", "How fast a model runs, how sure that is, and in which layers (docs/bench.md)",
                              "edgeprobe bench models/signs_float.tflite --threads 1,2 --layers --json before.json\n"
                              "  edgeprobe bench diff before.json after.json",
                              chosen, sub);
  // 'bench diff' has no MODEL: run() asks for it.
  sub->callback([sub, args, &chosen] {
    if (sub->get_subcommands().empty()) chosen = [args](Terminal& terminal) { return run(*args, terminal); };
  });
  sub->add_option("model", args->pipeline.model, "A model file: .tflite, .onnx, …");
  sub->add_option("--duration", args->duration_s, "Seconds of timed runs for each configuration")->capture_default_str();
  sub->add_option("--runs", args->runs, "That many timed runs instead")->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  sub->add_option("--warm-up", args->warm_up_s, "At most so many seconds of warm-up; it ends when the latency is stable")->capture_default_str();
  sub->add_option("--noise", args->noise, "A run is noisy when its threads waited for a CPU for more than this share of its latency")->capture_default_str();
  sub->add_option("--scenario", args->scenario, "single-stream: latency; offline: samples a second")->capture_default_str();
  sub->add_option("--streams", args->streams, "Offline: sessions at once, each in a process of its own")->capture_default_str();
  sub->add_option("--batch", args->batch, "Samples in one inference, where the model's first dimension allows")->capture_default_str();
  sub->add_flag("--layers", args->layers, "Also the time of each layer and of each type of layer, and what recording them costs");
  sub->add_option("--cold", args->cold, "Also N starts in fresh processes, phase by phase")->check(CLI::Range(std::size_t{0}, std::size_t{10'000}));
  sub->add_option("--seed", args->seed, "Of the random inputs")->capture_default_str();
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe, "Pre-processing for --data: text or a file");
  add_data(*sub, args->data, false);
  sub->add_option("--perfetto", args->perfetto, "Write runs, layers and meters as a Chrome trace (ui.perfetto.dev)")->type_name("FILE");
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
  sub->remove_option(sub->get_option("--threads"));
  sub->add_option("--threads", args->threads, "Threads of the engine, or several numbers: 1,2,4")->capture_default_str()->group("Engine");
  sub->add_option("--cpus", args->cpus, "The CPUs that may run the engine, e.g. 0,2-3 (default: all); repeat it for a sweep")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group("Engine");
  add_diff(*sub, chosen);
}

}  // namespace edgeprobe::cli
