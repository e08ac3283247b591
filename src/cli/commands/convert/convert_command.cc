// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "cli/commands/check/check_command.h"
#include "cli/commands/convert/convert_flags.h"
#include "cli/convert/calibration.h"
#include "cli/convert/usable.h"
#include "cli/convert/workplace.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/lint_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/evenly_spaced.h"
#include "core/file.h"
#include "core/result.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "lint/lint.h"
#include "pipeline/spec.h"

namespace edgeprobe::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t kLargestVerdict = std::size_t{1} << 30;

/// The samples of the list, else at most `most` of the pool, evenly spread.
Result<std::vector<dataset::Sample>> calibration_samples(const ConvertArgs& args,
                                                         const CalibrationPool& pool,
                                                         std::size_t most) {
  if (!args.calibration.empty()) return listed_samples(args.calibration, args.data, pool.test);
  std::vector<dataset::Sample> chosen;
  for (const std::size_t i : evenly_spaced(pool.samples.size(), most))
    chosen.push_back(pool.samples[i]);
  return chosen;
}

/// Which part checks a conversion with a split.
std::string checked_part(const ConvertArgs& args) {
  return args.data.split.part.empty() ? name(dataset::Part::kTest) : args.data.split.part;
}

/// Bytes of a model's file and of those that it names or that belong to it by their format.
std::uint64_t bytes_of(const fs::path& file, const model::Graph& graph) {
  std::set<fs::path> files{file};
  for (const model::ModelTensor& tensor : graph.tensors)
    if (!tensor.external_file.empty()) files.insert(graph.folder / tensor.external_file);
  // OpenVINO and ncnn keep the weights apart.
  if (file.extension() == ".xml" || file.extension() == ".param")
    files.insert(fs::path(file).replace_extension(".bin"));
  std::uint64_t all = 0;
  for (const fs::path& one : files) {
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(one, failed);
    if (!failed) all += size;
  }
  return all;
}

/// Faults that lint finds in the result. None for formats that only their own engine reads.
std::vector<std::string> faults_of(const std::string& out) {
  std::vector<std::string> faults;
  model::FileBytes file;
  const auto graph = model::load(out, file);
  if (!graph) return faults;
  const auto found = lint::lint(*graph, file.view());
  if (!found) return faults;
  for (const lint::Finding& one : *found)
    if (one.level == lint::Level::kFault) faults.push_back(lint_sentence(*graph, one));
  return faults;
}

bool is_closed(const std::string& file) {
  const auto formats = engine::file_formats();
  return std::any_of(formats.begin(), formats.end(), [&](const engine::FormatKind& format) {
    return format.closed && fs::path(file).extension() == format.extension;
  });
}

/// The check of the result in `file`, whose recipe is that of the source.
CheckArgs check_of(const ConvertArgs& args, const std::string& recipe, const fs::path& file) {
  CheckArgs check;
  check.target = args.source;
  check.target.model = file.string();
  check.target.engine = args.engine;
  check.target.plugins.clear();
  check.target.target = args.deployed.target;
  check.target.kernels.clear();
  check.target.delegates.clear();
  check.target.recipe = recipe;
  check.reference = args.source;
  compute_as_written(check.reference);
  check.reference.recipe = recipe;
  check.data = args.data;
  // Only their own engines can see the layers of these formats.
  if (is_closed(args.out)) check.level = "io";
  if (!args.target_recipe.empty()) {
    check.target.recipe = args.target_recipe;
    return check;
  }
  model::FileBytes bytes;
  // Recorded tensors are quantised when they are fitted to an input.
  if (const auto graph = model::load(file, bytes); graph && !recipe.empty())
    check.target.recipe = recipe_for(recipe, *graph);
  return check;
}

/// A plug-in may write anything: loads it before it takes the result's place. A machine that serves
/// loads it only for the check.
Status check_result(const PluginCompiler& compiler, const CheckArgs& check,
                    const std::vector<dataset::Sample>& samples, Terminal& terminal) {
  const auto loaded = [&]() -> Status {
    if (!check.target.target.empty()) {
      model::FileBytes file;
      EP_CHECK(model::load(check.target.model, file));
      return {};
    }
    EP_TRY(const auto spec, spec_from(check.target, samples));
    EP_CHECK(pipeline::open(spec, terminal.control()));
    return {};
  }();
  if (loaded || loaded.error().kind == ErrorKind::kInterrupted) return loaded;
  const PluginCompiler::About& about = compiler.about();
  std::string why = loaded.error().what;
  const std::string folder = fs::path(check.target.model).parent_path().string() + "/";
  for (std::size_t at = why.find(folder); at != std::string::npos; at = why.find(folder))
    why.erase(at, folder.size());  // It is gone when the user reads this.
  return Error{ErrorKind::kTarget,
               about.method + " wrote a file that cannot be used" + about.place + ": " + why};
}

/// The model that is converted. An error if a tool of edgeprobe's own does not take its format.
Result<std::optional<model::Format>> format_of(const ConvertArgs& args, const ConversionTarget& to,
                                               const model::Graph& graph) {
  const auto format = model::format_of(graph);
  if (to.compiler) return format;
  if (!format)
    return Error{ErrorKind::kUnsupported,
                 "'" + sanitized(args.source.model, 200) + "' is of format " + graph.format +
                     "; .onnx and .tflite are converted, others by a compiler of your own "
                     "(docs/extending.md)"};
  if (args.to == "int8-dynamic" && *format != model::Format::kTflite)
    return Error{ErrorKind::kUnsupported,
                 "--to int8-dynamic is for .tflite; --to int8 quantises an .onnx with calibration"};
  return format;
}

ordered_json json_of(const ConvertArgs& args, const Converted& converted) {
  auto options = ordered_json::object();
  for (const auto& [name, value] : converted.options) options[name] = value;
  const auto bytes = MappedFile::open(args.out);
  return {{"model", args.source.model},
          {"to", args.to},
          {"out", args.out},
          {"tool", converted.label()},
          {"compiler", converted.tool},
          {"compiler_version", converted.version},
          {"compiler_options", options},
          {"sha256", bytes ? sha256(bytes->bytes()) : ""}};
}

}  // namespace

/// Returns the outcome of the check.
Result<Outcome> run(const ConvertArgs& given, Terminal& terminal) {
  ConvertArgs args = given;
  EP_TRY(const auto to, target_of(args));
  // One Python has the user's compiler, and engines and data that are plug-ins.
  if (to.compiler) args.source.interpreter = args.data.python = args.python;
  EP_CHECK(check_flags(args, to));
  EP_TRY(const auto most, calibration_frames(args));
  EP_TRY(const auto samples, samples_from(args.data, terminal));
  const bool are_arrays = !samples.empty() && !samples.front().arrays.empty();
  const auto arrays = are_arrays ? samples : std::vector<dataset::Sample>();
  EP_TRY(auto source, open_pipeline(args.source, arrays, terminal));
  EP_TRY(const auto format, format_of(args, to, source.graph));
  if (args.to == "int8") EP_CHECK(check_float(source.session->inputs()));
  EP_TRY(const auto usable, usable_samples(source, samples, terminal));
  EP_TRY(auto work, Workplace::make(args.out));

  const fs::path file = work.path() / fs::path(args.out).filename();
  Conversion wanted{
      to, format, args.source.model, file, source.session->inputs(), source.session->outputs(), {},
      0,  {}};
  EP_TRY(auto scratch, ScratchFolder::make());
  if (to.calibrates()) {
    wanted.calibration = scratch.path() / "calibration.bin";
    EP_TRY(const auto pool, calibration_pool(args.data, usable.samples, terminal));
    EP_TRY(auto chosen, calibration_samples(args, pool, most));
    EP_TRY(wanted.frames, write_calibration(source, chosen, wanted.calibration, terminal));
    if (args.data.split.is_given())
      terminal.err << "note: " << counted(wanted.frames, "sample") << " of the "
                   << (args.calibration.empty() ? "training part" : "list")
                   << " calibrate; the check uses the " << checked_part(args)
                   << " part, which calibration never sees\n";
  }
  if (!args.keep_float.empty()) {
    EP_TRY(wanted.keep_float, keep_float_from(args.keep_float, *format));
  }
  const auto converted = convert(wanted, args.python, terminal);
  if (!converted)
    return Error(converted.error())
        .during("'" + sanitized(args.source.model, 200) + "' to " + sanitized(args.to, 200));
  const std::string recipe =
      source.has_recipe() ? preprocess::to_text(source.recipe) : std::string();
  CheckArgs check = check_of(args, recipe, file);
  if (to.compiler) EP_CHECK(check_result(*to.compiler, check, arrays, terminal));
  const std::uint64_t before = bytes_of(args.source.model, source.graph), after = work.bytes();
  EP_CHECK(work.place(args.out, inputs_of(args)));
  check.target.model = args.out;
  for (const std::string& note : converted->notes) terminal.err << "note: " << note << "\n";
  const std::vector<std::string> faults = faults_of(args.out);
  for (const std::string& fault : faults) terminal.err << "warning: " << fault << "\n";
  terminal.err << "written: " << sanitized(args.out, 300) << " by " << converted->label() << ", "
               << bytes_text(static_cast<double>(after)) << " from "
               << bytes_text(static_cast<double>(before)) << "; checking it against the source\n";

  if (!args.json.wanted) return run_without(usable.left_out, check, terminal);
  const fs::path verdict = scratch.path() / "verdict.json";
  check.verdict.json = {true, verdict.string()};
  std::ostringstream unheard;
  Terminal quiet{unheard, terminal.err, terminal.interactive, false, terminal.stop};
  const auto outcome =
      run_without(usable.left_out, check, args.json.file.empty() ? quiet : terminal);
  if (!outcome) return outcome;
  EP_TRY(const auto judged, read_file(verdict, kLargestVerdict));
  ordered_json answer = json_of(args, *converted);
  answer["source_bytes"] = before;
  answer["bytes"] = after;
  answer["calibration_frames"] = wanted.frames;
  answer["calibration_part"] = !to.calibrates()             ? ""
                               : !args.calibration.empty()  ? "list"
                               : args.data.split.is_given() ? "train"
                                                            : "all";
  answer["checked_part"] = args.data.split.is_given() ? checked_part(args) : "all";
  answer["left_out"] = ordered_json::array();
  for (const dataset::Unreadable& one : usable.left_out)
    answer["left_out"].push_back({{"sample", one.name}, {"why", one.why}});
  answer["notes"] = converted->notes;
  answer["faults"] = faults;
  answer["verdict"] = ordered_json::parse(ByteView(judged).text(), nullptr, false);
  EP_CHECK(write_result(args.json,
                        answer.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                        terminal.out));
  return outcome;
}

Work declare_convert(Parser& parser) {
  auto args = std::make_shared<ConvertArgs>();
  parser
      .option("model", args->source.model,
              "The float model: .onnx or .tflite; for a plug-in any that an engine opens")
      .required();
  parser
      .option("--to", args->to,
              "int8 | int8-dynamic (.tflite) | openvino | tvm, or a compiler of your own as "
              "FILE.py:CLASS or python:NAME, with ?OPTION=VALUE (docs/extending.md)")
      .required();
  parser
      .option("-o,--out", args->out,
              "The result: .onnx, .tflite, .xml or .so, or as a plug-in writes it")
      .required();
  add_recipe_flag(parser, "--recipe", args->source.recipe,
                  "The pre-processing of the source: text or a file");
  add_data(parser, args->data, true);
  args->data.time_limit_s = &args->source.time_limit_s;
  parser
      .option("--calibration-frames", args->calibration_frames,
              "Number of evenly spread pictures that calibrate int8 or a plug-in")
      .shows_default();
  parser
      .option("--calibration", args->calibration,
              "A list of the samples that calibrate instead, one name per line, e.g. "
              "calibration.txt of --write-fix")
      .type("FILE");
  parser
      .option("--keep-float", args->keep_float,
              "Layers that stay in float32: a JSON list of node names (.onnx), or a recipe of "
              "ai-edge-quantizer (.tflite)")
      .type("FILE.json");
  parser.option("--python", args->python,
                "A Python that has the tool (default: an environment created on demand), or the "
                "plug-ins (default: $EDGEPROBE_PYTHON, else python3)");
  parser.option("--compile-limit", args->compile_limit_s, "Seconds for a plug-in to convert")
      .shows_default();
  add_recipe_flag(parser, "--target-recipe", args->target_recipe,
                  "The pre-processing of the result, if it is another one than --recipe");
  parser.option("--target-engine", args->engine,
                "Engine that checks the result (default: by its format)");
  add_target(parser, args->deployed, "Engine of the result");
  add_json(parser, args->json);
  add_engine(parser, args->source, "", "Engine of the source");
  return work_of(args);
}

}  // namespace edgeprobe::cli
