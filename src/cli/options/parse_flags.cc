// SPDX-License-Identifier: Apache-2.0
#include "cli/options/parse_verbs.h"
#include "engine/kinds.h"

namespace edgeprobe::cli {
namespace {

std::string engine_help() {
  std::string names;
  for (const std::string& name : engine::engine_names())
    names += (names.empty() ? "" : " | ") + name;
  return names +
         ", or KIND:LIBRARY, e.g. tflite:/path/libtensorflowlite_c.so (default: by the model's "
         "format)";
}

/// "(litert and tflite)": the engines that take an option.
std::string takers(engine::Capability capability, const std::string& more = "") {
  return " (" + engine::listed(engine::engine_names(capability)) + more + ")";
}

}  // namespace

void add_recipe_flag(Parser& app, const std::string& name, std::string& recipe,
                     const std::string& help) {
  app.option(name, recipe, help).check([](const std::string& text) {
    const bool empty = text.find_first_not_of(" \t\r\n") == std::string::npos;
    return empty ? std::string(
                       "the recipe is empty; leave the flag out for the model's default, "
                       "or say what is done, e.g. "
                       "'resize(224x224, bilinear) | color(rgb) | scale(-1..1)'")
                 : std::string();
  });
}

void add_json(Parser& app, JsonFlag& flag) {
  app.option(
         "--json",
         [&flag](const std::string& file) {
           flag = {true, file == "-" ? "" : file};
         },
         "The result as JSON, on standard output or into FILE")
      .optional_value("[FILE]");
}

void add_engine(Parser& app, PipelineFlags& flags, const std::string& prefix,
                const std::string& group) {
  using engine::Capability;
  const auto option = [&](const std::string& name) { return "--" + prefix + name; };
  app.option(option("engine"), flags.engine, engine_help()).group(group);
  app.option(
         option("kernels"), flags.kernels,
         "xnnpack | builtin | reference" + takers(Capability::kKernelSets, "; default: xnnpack"))
      .group(group);
  app.option(option("threads"), flags.threads, "Threads of the engine")
      .shows_default("1")
      .group(group);
  app.option(option("delegate"), flags.delegates,
             "Who takes operators first: gpu (litert; tflite, when its library has it), nnapi "
             "(tflite) or "
             "'external:LIB.so?key=value&…': a TFLite "
             "delegate or an execution provider of onnxruntime (repeatable)")
      .repeatable()
      .group(group);
  app.flag(option("force-engine-version"), flags.force_engine_version,
           "Accept a library version that was never tried")
      .group(group);
  app.option(option("optimization"), flags.optimization,
             "How far the engine may rewrite the graph" + takers(Capability::kOptimizationLevels) +
                 ": off | basic | extended | all")
      .shows_default()
      .group(group);
  app.option(option("precision"), flags.precision,
             "f32: as the model says; engine: as the engine likes, e.g. bf16 (openvino)")
      .shows_default()
      .group(group);
  app.flag(option("no-spinning"), flags.no_spinning,
           "Idle threads sleep at once" + takers(Capability::kSpinning))
      .group(group);
  app.option(option("input-shape"), flags.input_shape, "Resize the model's input, e.g. 1x96x96x3")
      .group(group);
  app.option(option("time-limit"), flags.time_limit_s, "Seconds for one load or one inference")
      .shows_default()
      .group(group);
}

void add_target(Parser& app, PipelineFlags& flags, const std::string& group) {
  const Argument target =
      app.option("--target", flags.target,
                 "The machine that runs the model: tcp://HOST:PORT, "
                 "tls://HOST:PORT?cert=FILE&key=FILE&ca=FILE, unix:/PATH or "
                 "serial:/dev/NAME?baud=921600 of 'edgeprobe serve'; "
                 "ssh://[USER@]HOST[:PORT] or adb:SERIAL, where it is started; "
                 "kenning://HOST:PORT?generation=g2 of a server of Kenning (default: this one)")
          .group(group);
  // A parameter of the address. Read after --target, whichever comes first on the command line.
  app.option(
         "--target-program",
         [&flags](const std::string& file) {
           const bool has_parameters = flags.target.find('?') != std::string::npos;
           flags.target += (has_parameters ? "&program=" : "?program=") + file;
         },
         "The edgeprobe for the machine behind ssh or adb (default: this one)")
      .needs(target)
      .type("FILE")
      .group(group);
}

void add_cpus(Parser& app, PipelineFlags& flags, const std::string& prefix,
              const std::string& group) {
  app.option("--" + prefix + "cpus", flags.cpus,
             "The CPUs that may run the engine, e.g. 0,2-3 (default: all)")
      .group(group);
}

void add_function(Parser& app, PipelineFlags& flags, const std::string& prefix) {
  app.option("--" + prefix + "pipeline", flags.function,
             "Your own pre-processing instead of a recipe: a Python function that gives the "
             "model input, or named stages")
      .type("FILE.py:FUNCTION");
  app.option("--python", flags.interpreter,
             "The Python that runs it (default: $EDGEPROBE_PYTHON, else python3)")
      .type("PROGRAM");
}

void add_tokenizer(Parser& app, PipelineFlags& flags, const std::string& name,
                   const std::string& usual) {
  app.option(name, flags.tokenizer,
             "For a recipe of text: a tokenizer.json, a Python function FILE.py:FUNCTION, or a "
             "command, which turns lines of text into lines of ids" +
                 usual)
      .type("TOKENIZER");
}

void add_states(Parser& app, PipelineFlags& flags, const std::string& prefix) {
  const std::string usual =
      prefix.empty() ? "" : "; default: that of the target, where both have the names";
  app.option("--" + prefix + "state", flags.states,
             "An output that is an input of the next frame, zero in the first (repeatable" + usual +
                 ")")
      .repeatable()
      .type("OUTPUT=INPUT");
}

void add_data(Parser& app, DataFlags& flags, bool required, const std::string& usual_frames) {
  Argument data = app.option(
      "--data", flags.data,
      "Folder of .jpg, .png, .bmp pictures and camera frames (cat_640x480.nv12), or one of them; "
      "or texts: a .txt with one a line, or a .csv with the columns text,label; or recorded "
      "tensors: "
      "FILE.npz with an array for each input, by its name, a trace.mcap, or a folder with ONNX's "
      "test_data_set_0");
  if (required) data.required();
  app.option("--labels", flags.labels,
             "What is true: a CSV with the columns file,label, COCO's .json, Pascal VOC's .xml "
             "files, an .npz, or the word "
             "'folders' (docs/guides/tasks.md)");
  app.option("--classes", flags.classes,
             "Class names, one a line (with 'folders': their order is the index)");
  app.option("--frames", flags.frames,
             "Use that many samples, evenly spread (of recorded tensors the first; default: " +
                 usual_frames + ")");
}

void add_boxes(Parser& app, std::string& boxes) {
  app.option("--boxes", boxes,
             "What the four numbers of an app's box are: xyxy | yxyx | xywh | cxcywh, then "
             ",pixels or ,normalized (0 to 1, points too)")
      .shows_default();
}

void add_truth(Parser& app, TruthFlags& flags) {
  app.option("--labels", flags.labels,
             "What is true, instead of what the traces say: a CSV with the columns file,label, "
             "COCO's .json, Pascal VOC's .xml files, an .npz, or the word 'folders' "
             "(docs/guides/tasks.md)");
  app.option("--classes", flags.classes, "Class names, one a line from number 0 on");
  add_boxes(app, flags.boxes);
}

void add_verdict(Parser& app, VerdictFlags& flags) {
  app.option("--gate", flags.gate, "What counts as a difference: outputs | accuracy")
      .shows_default();
  add_boxes(app, flags.boxes);
  add_json(app, flags.json);
  app.option("--html", flags.html, "Write the report as one self-contained page");
  app.option("--images", flags.images, "Pictures in the page and in the JSON: full | none")
      .shows_default();
  app.option("--max-replay", flags.max_replay, "Frames of counterfactual replays").shows_default();
  app.option("--first-above", flags.first_above,
             "First layer that differs: the first whose RMSE over range is above this "
             "(ML-EXray's rule; default: beyond rounding)")
      .positive();
  app.option("--write-fix", flags.fix.folder,
             "Write what mends it into a new folder: recipe, calibration list, layers kept in "
             "float32, and the model quantised again with them, checked")
      .type("DIR");
  app.option("--fix-python", flags.fix.python,
             "A Python that has the quantiser (default: an environment that is made on demand)")
      .type("PROGRAM");
}

}  // namespace edgeprobe::cli
