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
    {"compare", "Compare two recorded traces, such as yesterday's good build and today's",
     "edgeprobe compare yesterday.mcap today.mcap\n"
     "  edgeprobe compare today.mcap --golden golden.npz",
     declare_compare, "--golden --layers --labels --classes --floor --json"},
    {"diagnose", "Find out why a recorded trace differs from the reference",
     "edgeprobe diagnose t.mcap --reference models/signs_float.tflite --reference-recipe "
     "models/signs.recipe",
     declare_diagnose,
     "--reference --reference-recipe --reference-pipeline --model --data --labels --html --json"},
    {"check", "Check that a deployment matches its training, and find the cause if not",
     "edgeprobe check models/signs_int8.tflite --recipe \"$(sed s/rgb/bgr/ models/signs.recipe) | "
     "quantize(model)\" \\\n"
     "    --reference models/signs_float.tflite --reference-recipe models/signs.recipe \\\n"
     "    --data models/data/test --labels models/data/labels.csv",
     declare_check,
     "--recipe --reference --reference-recipe --reference-pipeline --data --labels --html --json"},
    {"why", "Two dumps of one tensor (.npy): what makes them differ?",
     "edgeprobe why phone.npy notebook.npy\n  edgeprobe why phone.npy notebook.npy --image "
     "photo.jpg",
     declare_why},
    {"contract", "Learn the bounds of a deployment from a trace, as a file to check in CI",
     "edgeprobe contract learn yesterday.mcap -o contract.json\n  edgeprobe contract check "
     "today.mcap --contract contract.json",
     nullptr},
    {"contract learn", "Learn a contract from a good trace",
     "edgeprobe contract learn yesterday.mcap -o contract.json", declare_contract_learn,
     "--out --recipe --data --labels --reference --speed --force"},
    {"contract check", "Check a trace or a model against a contract",
     "edgeprobe contract check today.mcap --contract contract.json --junit contract.xml",
     declare_contract_check,
     "--contract --recipe --data --labels --follow --mutate --junit --json"},
    {"contract update", "Update the bounds that a new trace breaks, and print each change",
     "edgeprobe contract update today.mcap --contract contract.json", declare_contract_update,
     "--contract --recipe --data --labels --reference --json"},
    {"report",
     "Show a table of all traces in a folder: accuracy, latency, disagreement with the reference; "
     "and what failing devices have in common",
     "edgeprobe report traces/test --reference "
     "traces/test/signs_float/litert-xnnpack_recipe-ab67d4c2.mcap --html table.html",
     declare_report},
    {"measurements",
     "Show the measurements of one run, or of several side by side, as tables and charts: times, "
     "memory, CPU load, quality (docs/reference/measurements.md)",
     "edgeprobe measurements yesterday.mcap today.mcap --svg signs --markdown signs.md",
     declare_measurements, "--labels --html --markdown --svg --json"},
    {"matrix", "Run one model on several engines and compare them layer by layer",
     "edgeprobe matrix models/signs_int8.tflite --engines "
     "tflite:reference,tflite:xnnpack,litert,openvino",
     declare_matrix, "--engines --reference-engine --data --recipe --frames --json"},
    {"predict-precision",
     "Predict the effect of float16, bfloat16 or int8 on a float model, and which layers to keep "
     "in float32",
     "edgeprobe predict-precision models/signs_float.tflite --data models/data/test --recipe "
     "models/signs.recipe",
     declare_predict_precision, "--data --recipe --labels --frames --precisions --json"},
    {"bisect",
     "Find the wrong operators of an engine that shows no layers: a delegate, a GPU, a vendor's "
     "library",
     "edgeprobe bisect models/signs_float.onnx --engine onnxruntime", declare_bisect,
     "--engine --delegate --data --recipe --host --evidence --json"},
    {"evidence", "Show a file of evidence; with --engine, test whether that engine has its fault",
     "edgeprobe evidence tests/evidence/depthwise.zip --engine litert", declare_evidence,
     "--engine --kernels --delegate --threads --json"},
    {"inspect", "Show the contents of a model file without running it",
     "edgeprobe inspect models/signs_int8.tflite --lint", declare_inspect},
    {"recipe",
     "Show and explain recipes, which describe pre-processing as text (docs/reference/recipes.md)",
     "edgeprobe recipe show models/signs.recipe", nullptr},
    {"recipe show", "Print the canonical text of a recipe and explain each step",
     "edgeprobe recipe show 'resize(224x224, bilinear, like=opencv) | color(rgb) | scale(-1..1)'",
     declare_recipe_show},
    {"recipe explain",
     "Show the result of each step: for a picture as PNG files, or for a recording, a text, a "
     "series of readings or recorded outputs",
     "edgeprobe recipe explain models/signs.recipe photo.jpg --model models/signs_float.tflite "
     "--out steps/",
     declare_recipe_explain},
    {"recipe from", "Print the recipe of a transform of torchvision, timm, albumentations or Keras",
     "edgeprobe recipe from transforms.py:evaluation", declare_recipe_from},
    {"recipe steps", "List the steps of recipes with their arguments, words and ranges",
     "edgeprobe recipe steps sound --json", declare_recipe_steps},
    {"trace", "Show, export, check, repair, compress and receive traces",
     "edgeprobe trace info t.mcap", nullptr},
    {"trace info", "Show the contents of a trace", "edgeprobe trace info t.mcap --json",
     declare_trace_info},
    {"trace cat", "Print the values of tensors",
     "edgeprobe trace cat t.mcap --frame 0 --tensor model_input/image", declare_trace_cat},
    {"trace export", "Export tensors and events for other programs",
     "edgeprobe trace export t.mcap --npz t.npz\n"
     "  edgeprobe trace export t.mcap --parquet tables",
     declare_trace_export},
    {"trace top", "Watch a recording live", "edgeprobe trace top t.mcap --once", declare_trace_top},
    {"trace verify", "Check all checksums and indexes of a trace, byte by byte",
     "edgeprobe trace verify t.mcap", declare_trace_verify},
    {"trace recover", "Repair a truncated or damaged trace into a new file",
     "edgeprobe trace recover t.mcap -o whole.mcap", declare_trace_recover},
    {"trace pack", "Compress or decompress a trace",
     "edgeprobe trace pack t.mcap -o small.mcap --compression zstd", declare_trace_pack},
    {"trace receive", "Receive a trace from a microcontroller",
     "edgeprobe trace receive uart.bin -o received.mcap", declare_trace_receive},
    {"doctor",
     "List the installed engines and what is missing (--meters: sensors; --processors: CPUs, GPUs, "
     "DSPs)",
     "edgeprobe doctor\n"
     "  edgeprobe doctor --meters\n"
     "  edgeprobe doctor --processors",
     declare_doctor},
    {"bench",
     "Measure the latency of a model and its layers, with confidence intervals "
     "(docs/guides/bench.md)",
     "edgeprobe bench models/signs_float.tflite --threads 1,2 --layers --json before.json\n"
     "  edgeprobe bench diff models/signs_float.tflite models/signs_int8.tflite --rounds 10",
     declare_bench, "--threads --duration --warm-up --layers --engine --delegate --target --json"},
    {"bench diff",
     "Test whether B is slower than A, as a whole or in one layer. Measures two models "
     "alternately, or reads results of 'bench --json'. Exit code 3 if B is slower, 4 if undecided",
     "edgeprobe bench diff models/signs_float.tflite models/signs_int8.tflite --rounds 10\n"
     "  edgeprobe bench diff --a a1.json a2.json a3.json --b b1.json b2.json b3.json",
     declare_bench_diff, "--rounds --threshold --layers --a --b --b-engine --b-threads --json"},
    {"serve",
     "Run models on this machine for remote hosts ('check --target') and Kenning's clients",
     "edgeprobe serve --listen 127.0.0.1:12345", declare_serve,
     "--listen --stdio --tls-cert --tls-key --tls-client-ca --engine --quiet"},
    {"mcp",
     "Serves verbs as tools to AI assistants (Model Context Protocol); needs the Python package",
     "edgeprobe mcp --allow models", declare_mcp},
    {"scenario", "Run a test described in a file; translate Kenning's files",
     "edgeprobe scenario run --help", nullptr},
    {"scenario run", "Run the test described in a YAML or JSON file",
     "edgeprobe scenario run models/signs.yml --frames 24 --report signs-results",
     declare_scenario_run, "--model --data --labels --frames --engine --report --set --dry-run"},
    {"scenario from-command",
     "Translate a command line or a scenario file of Kenning (Edge AI tester) to a scenario, and "
     "report the parts that cannot be translated (docs/from-edge-ai-tester.md)",
     "edgeprobe scenario from-command 'python -m kenning.scenarios.inference_server "
     "kenning.runtimeprotocols.network.NetworkProtocol kenning.runtimes.tflite.TFLiteRuntime "
     "--host 127.0.0.1 --port 12345'",
     declare_scenario_from_command},
    {"scenario schema", "Print the JSON schema of scenario files, for editors",
     "edgeprobe scenario schema", declare_scenario_schema},
    {"stretch", "Run one model on several processors at once",
     "edgeprobe stretch regions models/inception_like.onnx", nullptr},
    {"stretch generate",
     "Make a network with a branch for each processor from a YAML configuration: counts, model, "
     "plan, picture",
     "edgeprobe stretch generate models/families/basic-two.yml --output net.onnx --plan net.json",
     declare_stretch_generate, "--output --plan --size --weights --picture --json"},
    {"stretch regions",
     "List the branches of a model that could run in parallel, without running it",
     "edgeprobe stretch regions models/inception_like.onnx", declare_stretch_regions},
    {"stretch split",
     "List the layers of a model that can be split into parts, and write the split model",
     "edgeprobe stretch split models/inception_like.onnx --output parts.onnx",
     declare_stretch_split},
    {"stretch plan", "Draft a division of a model over processors by the work of its layers",
     "edgeprobe stretch plan models/inception_like.onnx --output plan.json", declare_stretch_plan},
    {"stretch search", "Measure the fastest way to run a model on several processors",
     "edgeprobe stretch search models/inception_like.onnx --output fastest.json",
     declare_stretch_search, "--output --device --engine --seconds --rounds --best --json"},
    {"stretch shape",
     "Search for the fastest branched network in place of one without branches: depth and width of "
     "each branch, measured on its processor",
     "edgeprobe stretch shape models/families/basic.yml --size 16 --seconds 0.05 --best 2 "
     "--output shapes",
     declare_stretch_shape,
     "--output --processors --device --size --main-share --sum-share --grid --json"},
    {"stretch explain", "Show what each processor does under a plan, and when",
     "edgeprobe stretch explain plan.json models/inception_like.onnx", declare_stretch_explain,
     "--runs --data --recipe --input-shape --trust --json"},
    {"stretch table", "Compare a plan with its engine's own options, measured alternately",
     "edgeprobe stretch table plan.json models/inception_like.onnx", declare_stretch_table,
     "--seconds --rounds --data --recipe --input-shape --trust --json"},
    {"stretch profile",
     "Measure each model, plan and configuration of a folder on this machine, one row each in a "
     "CSV table: latency, energy, and with labels accuracy",
     "edgeprobe stretch profile models --output result.csv", declare_stretch_profile,
     "--output --seconds --data --labels --recipe --threads --cpus --json"},
    {"stretch train", "Train a network with PyTorch on the values of a recipe",
     "edgeprobe stretch train models/families/basic-two.yml pets/ --labels folders --output "
     "trained.safetensors",
     declare_stretch_train,
     "--labels --recipe --output --weights --num-epochs --augment --python --json"},
    {"stretch evaluate",
     "Measure the accuracy of what is executed: model or plan, with its intervals, and against a "
     "base",
     "edgeprobe stretch evaluate models/signs_float.onnx --recipe models/signs_nchw.recipe \\\n"
     "    --base models/signs_float.tflite --base-recipe models/signs.recipe \\\n"
     "    --data models/data/test --labels models/data/labels.csv",
     declare_stretch_evaluate, "--plan --base --base-plan --recipe --data --labels --json"},
    {"convert", "Convert a model with the target's own tool and check the result",
     "edgeprobe convert models/signs_float.onnx --to int8 --recipe models/signs_nchw.recipe \\\n"
     "    --data models/data/test --frames 48 -o signs_int8.onnx",
     declare_convert,
     "--to --out --data --recipe --labels --calibration-frames --keep-float --json"},
    {"onnx-conversion",
     "Export models of several frameworks to ONNX, let importers and engines compute the files, "
     "and "
     "show where the outputs differ (docs/guides/onnx-conversion.md)",
     "edgeprobe onnx-conversion build/models-directory build/report.rst --frameworks sklearn "
     "--importers onnxruntime",
     declare_onnx_conversion, "--frameworks --models --importers --python --time-limit --json"},
    {"optimize", "Measure chains of conversions: accuracy, latency and size, and the best of them",
     "edgeprobe optimize models/signs_float.onnx --stage int8 --recipe models/signs_nchw.recipe "
     "\\\n"
     "    --data models/data/test --frames 48 -o signs-chains",
     declare_optimize, "--stage --out --data --recipe --labels --duration --json"},
    {"train", "Train a model on the very values that its recipe makes when it is deployed",
     "edgeprobe train mobilenet_v2 models/data/test --labels models/data/labels.csv \\\n"
     "    --model-path signs.keras --num-epochs 20 --split-seed 7",
     declare_train,
     "--labels --recipe --model-path --batch-size --learning-rate --num-epochs --backbone --json"},
    {"instrument", "Write a copy of a model with its layers as outputs, for a probe inside an app",
     "edgeprobe instrument models/signs_int8.tflite --data models/data/test --frames 12 -o "
     "signs_layers.tflite",
     declare_instrument, "--out --level --include --inputs --force --json"},
    {"fetch",
     "Fetch an engine's library from PyPI or Maven Central into ~/.cache/edgeprobe, checked by its "
     "hash",
     "edgeprobe fetch litert", declare_fetch},
    {"demo", "Try edgeprobe on a built-in model with a planted bug: exit code 0 when it is found",
     "edgeprobe demo --out edgeprobe-demo", declare_demo},
    {"list", "List engines and plug-ins, without importing one", "edgeprobe list engines",
     declare_list},
    {"help", "Show the help of a verb, or the options of a plug-in", "edgeprobe help ncnn",
     declare_help},
    {"completion",
     "Print a script that completes verbs, flags and their values in bash, zsh or fish",
     "edgeprobe completion bash > edgeprobe.bash", declare_completion},
    {"man", "Print the manual page of all verbs", "edgeprobe man > edgeprobe.1", declare_man},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

Program program() {
  return {
      "edgeprobe shows what a model actually does on its target device, and why it differs from "
      "training.",
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
