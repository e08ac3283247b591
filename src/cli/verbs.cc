// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include "cli/options/help_text.h"
#include "cli/options/verb_arguments.h"

namespace edgeprobe::cli {
namespace {

/// In the order of --help.
constexpr Verb kVerbs[] = {
    {"run", "Run a model on pictures or recorded tensors and record a trace",
     "edgeprobe run models/signs_float.tflite --recipe models/signs.recipe \\\n"
     "    --data models/data/test --labels models/data/labels.csv --level layers --trace t.mcap",
     declare_run, "--recipe --pipeline --data --labels --frames --level --trace --engine"},
    {"replay", "Run the frames of a trace through another pipeline",
     "edgeprobe replay t.mcap models/signs_float.tflite --recipe models/signs.recipe --trace "
     "r.mcap\n"
     "  edgeprobe replay t.mcap --pipeline prep.py:preprocess --model models/signs_float.tflite "
     "--trace r.mcap",
     declare_replay, "--recipe --pipeline --data --labels --frames --level --trace --engine"},
    {"compare", "Do two recorded traces agree? (yesterday's good build and today's)",
     "edgeprobe compare yesterday.mcap today.mcap\n"
     "  edgeprobe compare today.mcap --golden golden.npz",
     declare_compare, "--golden --layers --labels --classes --floor --json"},
    {"diagnose", "Why does a recorded trace differ from the reference?",
     "edgeprobe diagnose t.mcap --reference models/signs_float.tflite --reference-recipe "
     "models/signs.recipe",
     declare_diagnose,
     "--reference --reference-recipe --reference-pipeline --model --data --labels --html --json"},
    {"check", "Does this deployment do what was trained, and if not, why?",
     "edgeprobe check models/signs_int8.tflite --recipe \"$(sed s/rgb/bgr/ models/signs.recipe) | "
     "quantize(model)\" \\\n"
     "    --reference models/signs_float.tflite --reference-recipe models/signs.recipe \\\n"
     "    --data models/data/test --labels models/data/labels.csv",
     declare_check,
     "--recipe --reference --reference-recipe --reference-pipeline --data --labels --html --json"},
    {"contract", "What a deployment promises, as a file: learned from a trace, checked in CI",
     "edgeprobe contract learn yesterday.mcap -o contract.json\n  edgeprobe contract check "
     "today.mcap --contract contract.json",
     nullptr},
    {"contract learn", "Write down what a good trace does",
     "edgeprobe contract learn yesterday.mcap -o contract.json", declare_contract_learn,
     "--out --recipe --data --labels --reference --speed --force"},
    {"contract check", "Does a trace, or a model, keep a contract?",
     "edgeprobe contract check today.mcap --contract contract.json --junit contract.xml",
     declare_contract_check,
     "--contract --recipe --data --labels --follow --mutate --junit --json"},
    {"contract update", "Take over what a new trace does, and say each change",
     "edgeprobe contract update today.mcap --contract contract.json", declare_contract_update,
     "--contract --recipe --data --labels --reference --json"},
    {"report",
     "One table over a folder of traces: accuracy, latency, disagreement with the reference; what "
     "goes with the devices that fail",
     "edgeprobe report traces/test --reference "
     "traces/test/signs_float/litert-xnnpack_recipe-ab67d4c2.mcap --html table.html",
     declare_report},
    {"measurements",
     "Times, memory, processors and quality that were measured, of one run or of several side by "
     "side, as tables and charts (docs/reference/measurements.md)",
     "edgeprobe measurements yesterday.mcap today.mcap --svg signs --markdown signs.md",
     declare_measurements},
    {"matrix", "Run one model on several engines and compare them layer by layer",
     "edgeprobe matrix models/signs_int8.tflite --engines "
     "tflite:reference,tflite:xnnpack,litert,openvino",
     declare_matrix, "--engines --reference-engine --data --recipe --frames --json"},
    {"predict-precision",
     "What float16, bfloat16 or int8 would do to a float model, and which layers to keep in "
     "float32",
     "edgeprobe predict-precision models/signs_float.tflite --data models/data/test --recipe "
     "models/signs.recipe",
     declare_predict_precision, "--data --recipe --labels --frames --precisions --json"},
    {"bisect",
     "Which operators an engine that shows no layers computes wrongly: a delegate, a GPU, a "
     "vendor's library",
     "edgeprobe bisect models/signs_float.onnx --engine onnxruntime", declare_bisect,
     "--engine --delegate --data --recipe --host --evidence --json"},
    {"evidence",
     "What a file of evidence holds; with --engine, whether its fault is there on that engine",
     "edgeprobe evidence tests/evidence/depthwise.zip --engine litert", declare_evidence,
     "--engine --kernels --delegate --threads --json"},
    {"inspect", "What a model file holds, without running it",
     "edgeprobe inspect models/signs_int8.tflite --lint", declare_inspect},
    {"recipe", "Pre-processing as data: what a recipe does (docs/reference/recipes.md)",
     "edgeprobe recipe show models/signs.recipe", nullptr},
    {"recipe show", "The canonical text of a recipe and what each step does",
     "edgeprobe recipe show 'resize(224x224, bilinear, like=opencv) | color(rgb) | scale(-1..1)'",
     declare_recipe_show},
    {"recipe explain",
     "What each step does to one picture, as PNG files, to one recording, text or series of "
     "readings, or to recorded outputs",
     "edgeprobe recipe explain models/signs.recipe photo.jpg --model models/signs_float.tflite "
     "--out steps/",
     declare_recipe_explain},
    {"recipe steps", "The steps that a recipe may have, with their arguments, words and ranges",
     "edgeprobe recipe steps sound --json", declare_recipe_steps},
    {"trace", "What a trace holds, its values, and other forms of it",
     "edgeprobe trace info t.mcap", nullptr},
    {"trace info", "What a trace holds", "edgeprobe trace info t.mcap --json", declare_trace_info},
    {"trace cat", "The values of its tensors",
     "edgeprobe trace cat t.mcap --frame 0 --tensor model_input/image", declare_trace_cat},
    {"trace export", "The tensors for other programs",
     "edgeprobe trace export t.mcap --npz t.npz\n"
     "  edgeprobe trace export t.mcap --parquet tables",
     declare_trace_export},
    {"trace top", "What a recording that is under way does, live",
     "edgeprobe trace top t.mcap --once", declare_trace_top},
    {"trace verify", "Read every byte: are all checksums and indexes right?",
     "edgeprobe trace verify t.mcap", declare_trace_verify},
    {"trace recover", "A finished trace of what is left of one that was cut or damaged",
     "edgeprobe trace recover t.mcap -o whole.mcap", declare_trace_recover},
    {"trace pack", "The same trace, compressed or no longer compressed",
     "edgeprobe trace pack t.mcap -o small.mcap --compression zstd", declare_trace_pack},
    {"trace receive", "A trace of what a microcontroller sends",
     "edgeprobe trace receive uart.bin -o received.mcap", declare_trace_receive},
    {"doctor",
     "List the installed engines and what is missing (--meters: sensors; --processors: CPUs, GPUs, "
     "DSPs)",
     "edgeprobe doctor\n"
     "  edgeprobe doctor --meters\n"
     "  edgeprobe doctor --processors",
     declare_doctor},
    {"bench", "How fast a model runs, how sure that is, and in which layers (docs/guides/bench.md)",
     "edgeprobe bench models/signs_float.tflite --threads 1,2 --layers --json before.json\n"
     "  edgeprobe bench diff models/signs_float.tflite models/signs_int8.tflite --rounds 10",
     declare_bench, "--threads --duration --warm-up --layers --engine --delegate --target --json"},
    {"bench diff",
     "Is B slower than A, in all or in one layer? Two models are measured in turns, results of "
     "'bench --json' are read. Exit code 3 when B is slower, 4 when that cannot be told",
     "edgeprobe bench diff models/signs_float.tflite models/signs_int8.tflite --rounds 10\n"
     "  edgeprobe bench diff --a a1.json a2.json a3.json --b b1.json b2.json b3.json",
     declare_bench_diff, "--rounds --threshold --layers --a --b --b-engine --b-threads --json"},
    {"serve",
     "Runs models on this machine for a host elsewhere: 'check --target', Kenning's clients",
     "edgeprobe serve --listen 127.0.0.1:12345", declare_serve,
     "--listen --stdio --tls-cert --tls-key --tls-client-ca --engine --quiet"},
    {"mcp",
     "Serves verbs as tools to AI assistants (Model Context Protocol); needs the Python package",
     "edgeprobe mcp --allow models", declare_mcp},
    {"scenario", "One file that describes a test; Kenning's as well",
     "edgeprobe scenario run --help", nullptr},
    {"scenario run", "Run the test that a file describes, YAML or JSON",
     "edgeprobe scenario run models/signs.yml --frames 24 --report signs-results",
     declare_scenario_run, "--model --data --labels --frames --engine --report --set --dry-run"},
    {"scenario from-command",
     "Our scenario for a command line or a scenario file of Kenning (Edge AI tester), and what has "
     "no place in it (docs/from-edge-ai-tester.md)",
     "edgeprobe scenario from-command 'python -m kenning.scenarios.inference_server "
     "kenning.runtimeprotocols.network.NetworkProtocol kenning.runtimes.tflite.TFLiteRuntime "
     "--host 127.0.0.1 --port 12345'",
     declare_scenario_from_command},
    {"scenario schema", "Print the JSON schema of such files, for editors",
     "edgeprobe scenario schema", declare_scenario_schema},
    {"stretch", "One model on several processors at once",
     "edgeprobe stretch regions models/inception_like.onnx", nullptr},
    {"stretch regions", "Which branches of a model could run side by side, from its file alone",
     "edgeprobe stretch regions models/inception_like.onnx", declare_stretch_regions},
    {"stretch split",
     "Which layers of a model could be computed in parts, and the model that does so",
     "edgeprobe stretch split models/inception_like.onnx --output parts.onnx",
     declare_stretch_split},
    {"stretch plan", "A division of a model over processors by the work of its layers",
     "edgeprobe stretch plan models/inception_like.onnx --output plan.json", declare_stretch_plan},
    {"stretch search", "The fastest way to run a model on several processors, measured",
     "edgeprobe stretch search models/inception_like.onnx --output fastest.json",
     declare_stretch_search, "--output --device --engine --seconds --rounds --best --json"},
    {"stretch explain", "What each processor does of a model under a plan, and when",
     "edgeprobe stretch explain plan.json models/inception_like.onnx", declare_stretch_explain},
    {"stretch table", "A plan beside all that its engine does by itself, measured in turns",
     "edgeprobe stretch table plan.json models/inception_like.onnx", declare_stretch_table},
    {"stretch profile",
     "What each model and plan of a folder takes on this machine: a row each in a table (CSV)",
     "edgeprobe stretch profile models --output result.csv", declare_stretch_profile,
     "--model --output --seconds --engine --threads --cpus --energy-counter --json"},
    {"convert", "Convert a model with the tool that belongs to the target, and check the result",
     "edgeprobe convert models/signs_float.onnx --to int8 --recipe models/signs_nchw.recipe \\\n"
     "    --data models/data/test --frames 48 -o signs_int8.onnx",
     declare_convert,
     "--to --out --data --recipe --labels --calibration-frames --keep-float --json"},
    {"instrument", "A copy of a model that gives its layers as outputs, for a probe inside an app",
     "edgeprobe instrument models/signs_int8.tflite --data models/data/test --frames 12 -o "
     "signs_layers.tflite",
     declare_instrument, "--out --level --include --inputs --force --json"},
    {"fetch",
     "An engine's library from PyPI or Maven Central into ~/.cache/edgeprobe, checked by its "
     "hash",
     "edgeprobe fetch litert", declare_fetch},
    {"demo", "Try edgeprobe on a built-in model with a planted bug: exit code 0 when it is found",
     "edgeprobe demo --out edgeprobe-demo", declare_demo},
    {"completion",
     "A script that completes verbs, flags and their values in a shell: bash, zsh, fish",
     "edgeprobe completion bash > edgeprobe.bash", declare_completion},
    {"man", "The manual page of all verbs, for man", "edgeprobe man > edgeprobe.1", declare_man},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

Program program() {
  return {
      "edgeprobe shows what a model really does on the device it was deployed to, and why it "
      "differs.",
      EDGEPROBE_VERSION,
      "\nExit codes: 0 agrees or done, 1 failed, 2 usage, 3 differs, 4 undecided, 130 "
      "interrupted.\n"
      "Example:\n  edgeprobe check --help",
      verbs(), help_text};
}

Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal) {
  terminal.perform = perform;
  return run_program(program(), argc, argv, terminal);
}

Result<Outcome> perform(const std::vector<std::string>& words, Terminal& terminal) {
  std::vector<std::string> all{"edgeprobe"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  return run_command_line(static_cast<int>(argv.size()), argv.data(), terminal);
}

}  // namespace edgeprobe::cli
