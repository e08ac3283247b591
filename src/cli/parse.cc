// The one file that knows CLI11: each verb's flags become its Args struct.
#include "cli/parse.h"

#include <functional>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/check_command.h"
#include "cli/compare_command.h"
#include "cli/doctor_command.h"
#include "cli/inspect_command.h"
#include "cli/recipe_command.h"
#include "cli/run_command.h"
#include "cli/trace_command.h"

namespace edgeprobe::cli {
namespace {

using Work = std::function<Result<Outcome>(Terminal&)>;

constexpr const char* kEngineHelp = "litert | tflite, or KIND:LIBRARY, e.g. tflite:/path/libtensorflowlite_c.so";

void add_json(CLI::App& app, JsonFlag& flag) {
  app.add_option_function<std::string>(
         "--json", [&flag](const std::string& file) { flag = {true, file == "-" ? "" : file}; },
         "The result as JSON, on standard output or into FILE")
      ->expected(0, 1)
      ->type_name("[FILE]")
      ->default_str("")
      ->trigger_on_parse();
}

// `prefix` is "" or "reference-": --recipe and --reference-recipe fill two structs alike.
void add_engine(CLI::App& app, PipelineFlags& flags, const std::string& prefix, const std::string& group) {
  const auto option = [&](const std::string& name) { return "--" + prefix + name; };
  app.add_option(option("engine"), flags.engine, kEngineHelp)->capture_default_str()->group(group);
  app.add_option(option("kernels"), flags.kernels, "xnnpack | builtin | reference")->capture_default_str()->group(group);
  app.add_option(option("threads"), flags.threads, "Threads of the engine")->capture_default_str()->group(group);
  app.add_option(option("delegate"), flags.delegates, "External delegate: LIB.so or 'LIB.so?key=value&…' (repeatable)")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group(group);
  app.add_flag(option("force-engine-version"), flags.force_engine_version, "Accept a library version that was never tried")->group(group);
  app.add_option(option("input-shape"), flags.input_shape, "Resize the model's input, e.g. 1x96x96x3")->group(group);
  app.add_option(option("time-limit"), flags.time_limit_s, "Seconds for one load or one inference")->capture_default_str()->group(group);
}

void add_data(CLI::App& app, DataFlags& flags, bool required) {
  auto* data = app.add_option("--data", flags.data, "Folder of .jpg, .png and .bmp pictures (read recursively), or one picture");
  if (required) data->required();
  app.add_option("--labels", flags.labels, "True classes: a CSV with the columns file,label, or the word 'folders'");
  app.add_option("--classes", flags.classes, "Class names, one a line (with 'folders': their order is the index)");
  app.add_option("--frames", flags.frames, "Use that many samples, evenly spread");
}

void add_verdict(CLI::App& app, VerdictFlags& flags) {
  app.add_option("--gate", flags.gate, "What counts as a difference: outputs | accuracy")->capture_default_str();
  add_json(app, flags.json);
  app.add_option("--html", flags.html, "Write the report as one self-contained page");
  app.add_option("--images", flags.images, "Pictures in the page: full | none")->capture_default_str();
  app.add_option("--max-replay", flags.max_replay, "Frames of counterfactual replays")->capture_default_str();
}

template <class Args>
std::shared_ptr<Args> verb(CLI::App& app, const std::string& name, const std::string& what, const std::string& example,
                           Work& chosen, CLI::App*& sub) {
  auto args = std::make_shared<Args>();
  sub = app.add_subcommand(name, what);
  sub->footer("\nExample:\n  " + example);
  sub->callback([args, &chosen] { chosen = [args](Terminal& terminal) { return run(*args, terminal); }; });
  return args;
}

void add_run(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<RunArgs>(app, "run", "Run a model on pictures and record a trace",
                            "edgeprobe run models/signs_float.tflite --recipe models/signs.recipe --data models/data/test "
                            "--labels models/data/labels.csv --level layers --trace t.mcap",
                            chosen, sub);
  sub->add_option("model", args->pipeline.model, "A .tflite file")->required();
  sub->add_option("--recipe", args->pipeline.recipe, "Pre-processing: text or a file (edgeprobe recipe --help)");
  add_data(*sub, args->data, true);
  sub->add_option("--level", args->level, "What is recorded: none | io | embedding | layers")->capture_default_str();
  sub->add_option("--trace", args->trace, "The file to write (default: traces/<dataset>/<model>/<config>_<preprocess>.mcap)");
  sub->add_flag("--undeclared", args->undeclared, "Write no recipe, model or engine name into the trace");
  sub->add_flag("--no-raw", args->no_raw, "Do not copy the pictures into the trace");
  sub->add_flag("--force", args->force, "Replace an existing trace");
  sub->add_option("--max-size", args->max_size, "Refuse to write a larger trace")->capture_default_str();
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
}

void add_replay(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ReplayArgs>(app, "replay", "Run the frames of a trace through another pipeline",
                               "edgeprobe replay t.mcap models/signs_float.tflite --recipe models/signs.recipe --trace r.mcap", chosen, sub);
  sub->add_option("source", args->source, "The trace whose frames are replayed")->required();
  sub->add_option("model", args->pipeline.model, "A .tflite file")->required();
  sub->add_option("--recipe", args->pipeline.recipe, "Pre-processing: text or a file");
  add_data(*sub, args->data, false);
  sub->add_option("--level", args->level, "What is recorded: none | io | embedding | layers")->capture_default_str();
  sub->add_option("--trace", args->trace, "The file to write")->required();
  sub->add_flag("--force", args->force, "Replace an existing trace");
  sub->add_option("--max-size", args->max_size, "Refuse to write a larger trace")->capture_default_str();
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
}

void add_check(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<CheckArgs>(app, "check", "Does this deployment do what was trained, and if not, why?",
                              "edgeprobe check models/signs_int8.tflite --recipe models/app_bgr.recipe --reference models/signs_float.tflite "
                              "--reference-recipe models/signs.recipe --data models/data/test --labels models/data/labels.csv",
                              chosen, sub);
  sub->add_option("model", args->target.model, "The deployed .tflite file")->required();
  sub->add_option("--recipe", args->target.recipe, "The deployed pre-processing: text or a file");
  sub->add_option("--reference", args->reference.model, "The trusted .tflite file")->required();
  sub->add_option("--reference-recipe", args->reference.recipe, "The trusted pre-processing: text or a file");
  add_data(*sub, args->data, true);
  sub->add_option("--level", args->level, "What is compared: io | embedding | layers")->capture_default_str();
  sub->add_option("--keep-traces", args->keep_traces, "Keep target.mcap and reference.mcap in this folder");
  sub->add_option("--max-size", args->max_size, "Refuse to write a larger trace")->capture_default_str();
  add_verdict(*sub, args->verdict);
  add_engine(*sub, args->target, "", "Engine of the deployment");
  add_engine(*sub, args->reference, "reference-", "Engine of the reference");
}

void add_diagnose(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<DiagnoseArgs>(app, "diagnose", "Why does a recorded trace differ from the reference?",
                                 "edgeprobe diagnose t.mcap --reference models/signs_float.tflite --reference-recipe models/signs.recipe "
                                 "--data models/data/test --labels models/data/labels.csv",
                                 chosen, sub);
  sub->add_option("trace", args->target, "The trace to explain")->required();
  sub->add_option("--reference", args->reference.model, "The trusted .tflite file");
  sub->add_option("--reference-recipe", args->reference.recipe, "The trusted pre-processing: text or a file");
  sub->add_option("--reference-trace", args->reference_trace, "A recorded trace of the reference, instead of a replay");
  sub->add_option("--model", args->model.model, "The target's own .tflite file, to measure what a fix restores");
  add_data(*sub, args->data, false);
  add_verdict(*sub, args->verdict);
  add_engine(*sub, args->model, "", "Engine of the target's model");
  add_engine(*sub, args->reference, "reference-", "Engine of the reference");
}

void add_compare(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<CompareArgs>(app, "compare", "Do two recorded traces agree? (yesterday's good build and today's)",
                                "edgeprobe compare yesterday.mcap today.mcap", chosen, sub);
  sub->add_option("reference", args->reference, "The trusted trace")->required();
  sub->add_option("target", args->target, "The trace to judge")->required();
  sub->add_flag("--layers", args->layers, "Every tensor in execution order, not the farthest alone");
  sub->add_option("--top", args->top, "How many of the farthest tensors")->capture_default_str();
  sub->add_flag("--by-frame-number", args->by_frame_number, "Join frames by number although both traces name their samples");
  sub->add_option("--floor", args->floor, "Mean output distance that counts as agreement (default 0.02, or 0.10 for integers, more for few frames)");
  add_json(*sub, args->json);
}

void add_inspect(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<InspectArgs>(app, "inspect", "What a model file holds, without running it",
                                "edgeprobe inspect models/signs_int8.tflite --tensors", chosen, sub);
  sub->add_option("model", args->model, "A .tflite file")->required();
  sub->add_flag("--tensors", args->tensors, "Also the table of all tensors");
  sub->add_flag("--ops", args->ops, "Also the inputs of each layer");
  add_json(*sub, args->json);
}

void add_doctor(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<DoctorArgs>(app, "doctor", "Which engines this machine has, and what to install", "edgeprobe doctor", chosen, sub);
  sub->add_option("engines", args->engines, "Engines to look at, e.g. tflite:/path/lib.so (default: every kind)");
  sub->add_flag("--force-engine-version", args->force_engine_version, "Accept a library version that was never tried");
  add_json(*sub, args->json);
}

void add_recipe(CLI::App& app, Work& chosen) {
  auto* recipe = app.add_subcommand("recipe", "Pre-processing as data: what a recipe does (docs/recipes.md)");
  recipe->require_subcommand(1);
  recipe->footer("\nExample:\n  edgeprobe recipe show models/signs.recipe");
  CLI::App* sub = nullptr;
  auto show = verb<RecipeShowArgs>(*recipe, "show", "The canonical text of a recipe and what each step does",
                                   "edgeprobe recipe show 'resize(224x224, bilinear, like=opencv) | color(rgb) | scale(-1..1)'", chosen, sub);
  sub->add_option("recipe", show->what, "A recipe (text or file), or a .tflite file for its default recipe")->required();
  add_json(*sub, show->json);
  auto explain = verb<RecipeExplainArgs>(*recipe, "explain", "What each step does to one picture, as PNG files",
                                         "edgeprobe recipe explain models/signs.recipe photo.jpg --model models/signs_float.tflite --out steps/",
                                         chosen, sub);
  sub->add_option("recipe", explain->recipe, "A recipe: text or file")->required();
  sub->add_option("image", explain->image, "A picture")->required();
  sub->add_option("--out", explain->out, "Folder for the PNG files")->required();
  sub->add_option("--model", explain->model, "A .tflite file whose input the recipe feeds");
  sub->add_option("--input", explain->input, "Or the input itself, e.g. 1x224x224x3:float32");
}

void add_trace(CLI::App& app, Work& chosen) {
  auto* trace = app.add_subcommand("trace", "What a trace holds, its values, and other forms of it");
  trace->require_subcommand(1);
  trace->footer("\nExample:\n  edgeprobe trace info t.mcap");
  CLI::App* sub = nullptr;
  auto info = verb<TraceInfoArgs>(*trace, "info", "What a trace holds", "edgeprobe trace info t.mcap --json", chosen, sub);
  sub->add_option("file", info->file, "A trace")->required();
  add_json(*sub, info->json);
  auto cat = verb<TraceCatArgs>(*trace, "cat", "The values of its tensors", "edgeprobe trace cat t.mcap --frame 0 --tensor model_input/image",
                                chosen, sub);
  sub->add_option("file", cat->file, "A trace")->required();
  sub->add_option("--frame", cat->frame, "One frame (default: all)");
  sub->add_option("--tensor", cat->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  sub->add_option("--values", cat->values, "Values shown of each tensor; 0: all")->capture_default_str();
  auto out = verb<TraceExportArgs>(*trace, "export", "The tensors for other programs", "edgeprobe trace export t.mcap --npz t.npz", chosen, sub);
  sub->add_option("file", out->file, "A trace")->required();
  sub->add_option("--npz", out->npz, "NumPy archive to write");
  sub->add_option("--csv", out->csv, "Table to write");
  sub->add_option("--frame", out->frame, "One frame (default: all)");
  sub->add_option("--tensor", out->tensor, "One tensor: NAME or STAGE/NAME (default: all)");
  sub->add_flag("--force", out->force, "Replace existing files");
}

}  // namespace

Result<Outcome> run_command_line(int argc, char** argv, Terminal& terminal) {
  CLI::App app{"edgeprobe shows what a model really does on the device it was deployed to, and why it differs."};
  app.name("edgeprobe");
  app.set_version_flag("--version", std::string("edgeprobe ") + EDGEPROBE_VERSION);
  app.require_subcommand(1);
  app.footer("\nExit codes: 0 agrees or done, 1 failed, 2 usage, 3 differs, 4 undecided, 130 interrupted.\n"
             "Example:\n  edgeprobe check --help");
  Work chosen;
  add_run(app, chosen);
  add_replay(app, chosen);
  add_compare(app, chosen);
  add_diagnose(app, chosen);
  add_check(app, chosen);
  add_inspect(app, chosen);
  add_recipe(app, chosen);
  add_trace(app, chosen);
  add_doctor(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    app.exit(wanted, terminal.out, terminal.err);
    return Outcome::kDone;
  } catch (const CLI::ParseError& wrong) {
    return Error{Fault::kUsage, std::string(wrong.what()) + "\nRun 'edgeprobe --help', or 'edgeprobe VERB --help'."};
  }
  return chosen(terminal);
}

}  // namespace edgeprobe::cli
