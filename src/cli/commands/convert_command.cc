// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "cli/commands/check/check_command.h"
#include "cli/convert/calibration.h"
#include "cli/convert/converter.h"
#include "cli/convert/usable.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
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

namespace edgeprobe::cli {

/// Arguments of `edgeprobe convert MODEL --to int8|int8-dynamic|openvino|tvm --data DIR --recipe R
/// -o OUT`: converts with the target's own tool, then checks the result against the source.
struct ConvertArgs {
  PipelineFlags source;  ///< The float model, its recipe, and the engine trusted by the check.
  /// Only its target is used: the machine that runs the result in the check.
  PipelineFlags deployed;
  std::string to;
  DataFlags data;  ///< Samples for the calibration and for the check.
  std::string out;
  /// A Python with the tool installed; empty: an environment made by edgeprobe.
  std::string python;
  /// Engine for the result; empty: the default of its format.
  std::string engine;
  std::string calibration_frames = "100";  ///< Maximum number, evenly spread.
  std::string calibration;  ///< A list of the calibration samples; empty: use `calibration_frames`.
  std::string keep_float;   ///< A file of the layers to keep in float32; empty: none.
  JsonFlag json;
};

namespace {

namespace fs = std::filesystem;

/// Checks that the machine for the result is reachable, before a conversion that may take minutes.
Status check_machine(const ConvertArgs& args, const ConversionTarget& to) {
  const std::string& address = args.deployed.target;
  if (address.empty()) return {};
  if (conversion_target(address))
    return Error{ErrorKind::kUsage, "--target '" + address +
                                        "' is a format, which goes to --to; --target is the "
                                        "machine that checks the result, tcp://HOST:PORT"};
  if (to.format)
    return Error{ErrorKind::kUnsupported,
                 std::string("--to ") + to.name +
                     ": a target takes .tflite and .onnx files; leave out --target to check the "
                     "result on this machine"};
  PipelineFlags flags = args.deployed;
  flags.model = args.out;
  flags.engine = args.engine;
  EP_TRY(auto spec, spec_from(flags));
  EP_CHECK(engine::open_supervised(spec.engine));
  return {};
}

Status check_target(const ConvertArgs& args) {
  if (args.to == "edgetpu")
    return Error{ErrorKind::kUnsupported,
                 "--to edgetpu: the Edge TPU compiler is a closed program that may not be passed "
                 "on and exists for x86 Debian only. "
                 "Quantise with --to int8, run 'edgetpu_compiler OUT.tflite' where you have it, "
                 "and check the result on the device "
                 "with --engine tflite --delegate external:libedgetpu.so.1"};
  const auto target = conversion_target(args.to);
  if (!target) {
    std::vector<std::string> names;
    std::string expected;
    const auto targets = conversion_targets();
    for (const ConversionTarget& known : targets) {
      names.push_back(known.name);
      expected += (names.size() == 1                ? ""
                   : names.size() == targets.size() ? " or "
                                                    : ", ") +
                  known.name;
    }
    const std::string near = closest_match(args.to, names);
    return Error{ErrorKind::kUsage, "--to '" + sanitized(args.to) + "': expected " + expected +
                                        (near.empty() ? "" : "; did you mean '" + near + "'?")};
  }
  if (args.data.data.empty())
    return Error{
        ErrorKind::kUsage,
        "--data is missing: the result is checked on pictures, and int8 is calibrated with them"};
  for (const auto& [flag, file] :
       {std::pair{"--calibration", &args.calibration}, std::pair{"--keep-float", &args.keep_float}})
    if (!file->empty() && args.to != "int8")
      return Error{ErrorKind::kUsage,
                   std::string(flag) + " belongs to --to int8; --to " + args.to + " takes none"};
  const std::string extension = fs::path(args.out).extension().string();
  const std::string wanted = target->format ? engine::format_of(*target->format).extension
                                            : fs::path(args.source.model).extension().string();
  if (extension != wanted)
    return Error{ErrorKind::kUsage, "-o '" + sanitized(args.out, 200) + "': --to " + args.to +
                                        " writes a " + wanted + " file"};
  EP_CHECK(check_outputs({{"-o", args.out}, {"--json", args.json.file}},
                         joined(files_of(args.source), files_of(args.data),
                                std::vector{args.calibration, args.keep_float})));
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  return check_machine(args, *target);
}

Result<std::size_t> calibration_frames(const ConvertArgs& args) {
  std::size_t most = 0;
  const char* const end = args.calibration_frames.data() + args.calibration_frames.size();
  const auto [stop, error] = std::from_chars(args.calibration_frames.data(), end, most);
  if (error != std::errc() || stop != end || most == 0)
    return Error{ErrorKind::kUsage, "--calibration-frames '" + sanitized(args.calibration_frames) +
                                        "': expected a whole number of at least 1"};
  return most;
}

/// The samples of the list, else at most `most` of all, evenly spread.
Result<std::vector<dataset::Sample>> calibration_samples(
    const ConvertArgs& args, const std::vector<dataset::Sample>& samples, std::size_t most) {
  if (!args.calibration.empty()) return listed_samples(args.calibration, args.data);
  std::vector<dataset::Sample> chosen;
  for (const std::size_t i : evenly_spaced(samples.size(), most)) chosen.push_back(samples[i]);
  return chosen;
}

/// A folder next to the result, so that finished files only need to be renamed.
class Workplace {
 public:
  static Result<Workplace> make(const fs::path& out) {
    std::error_code ignored;
    std::string path =
        (fs::absolute(out, ignored).parent_path() / ".edgeprobe-convert-XXXXXX").string();
    if (!::mkdtemp(path.data()))
      return Error{ErrorKind::kUsage, "-o '" + sanitized(out.string(), 200) +
                                          "': its folder does not exist or cannot be written"};
    return Workplace(path);
  }
  Workplace(Workplace&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Workplace& operator=(Workplace&&) = delete;
  ~Workplace() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  /// Moves its contents to the folder of `out`; the file `out` itself last.
  Status place(const fs::path& out) const {
    std::error_code failed;
    std::vector<fs::path> names;
    for (const auto& entry : fs::directory_iterator(path_, failed))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end(),
              [&](const fs::path& a, const fs::path&) { return a != out.filename(); });
    for (const fs::path& one : names) {
      fs::rename(path_ / one, fs::absolute(out, failed).parent_path() / one, failed);
      if (failed)
        return Error{ErrorKind::kUsage, "'" + sanitized(one.string()) +
                                            "' cannot be put in its place: " + failed.message()};
    }
    return {};
  }

 private:
  explicit Workplace(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

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

CheckArgs check_of(const ConvertArgs& args, const std::string& recipe) {
  CheckArgs check;
  check.target = args.source;
  check.target.model = args.out;
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
  if (const auto target = conversion_target(args.to); target && target->format) {
    check.level = "io";
    return check;
  }
  model::FileBytes file;
  // Recorded tensors are quantised when they are fitted to an input.
  if (const auto graph = model::load(args.out, file); graph && !recipe.empty())
    check.target.recipe = recipe_for(recipe, *graph);
  return check;
}

}  // namespace

/// Returns the outcome of the check.
Result<Outcome> run(const ConvertArgs& args, Terminal& terminal) {
  EP_CHECK(check_target(args));
  EP_TRY(const auto most, calibration_frames(args));
  EP_TRY(const auto samples, samples_from(args.data));
  const bool are_arrays = !samples.empty() && !samples.front().arrays.empty();
  EP_TRY(
      auto source,
      open_pipeline(args.source, are_arrays ? samples : std::vector<dataset::Sample>(), terminal));
  const auto format = model::format_of(source.graph);
  if (!format)
    return Error{ErrorKind::kUnsupported, "'" + sanitized(args.source.model, 200) +
                                              "' is of format " + source.graph.format +
                                              "; .onnx and .tflite are converted"};
  if (args.to == "int8-dynamic" && *format != model::Format::kTflite)
    return Error{ErrorKind::kUnsupported,
                 "--to int8-dynamic is for .tflite; --to int8 quantises an .onnx with calibration"};
  EP_TRY(const auto usable, usable_samples(source, samples, terminal));
  EP_TRY(auto work, Workplace::make(args.out));

  Conversion wanted{*conversion_target(args.to),
                    *format,
                    args.source.model,
                    work.path() / fs::path(args.out).filename(),
                    source.session->inputs(),
                    source.session->outputs(),
                    {},
                    0,
                    {}};
  EP_TRY(auto scratch, ScratchFolder::make());
  if (args.to == "int8") {
    wanted.calibration = scratch.path() / "calibration.bin";
    EP_TRY(auto chosen, calibration_samples(args, usable.samples, most));
    EP_TRY(wanted.frames, write_calibration(source, chosen, wanted.calibration, terminal));
  }
  if (!args.keep_float.empty()) {
    EP_TRY(wanted.keep_float, keep_float_from(args.keep_float, *format));
  }
  const auto converted = convert(wanted, args.python, terminal);
  if (!converted)
    return Error(converted.error())
        .during("'" + sanitized(args.source.model, 200) + "' to " + args.to);
  EP_CHECK(work.place(args.out));
  for (const std::string& note : converted->notes) terminal.err << "note: " << note << "\n";
  const std::vector<std::string> faults = faults_of(args.out);
  for (const std::string& fault : faults) terminal.err << "warning: " << fault << "\n";
  terminal.err << "written: " << sanitized(args.out, 300) << " by " << converted->tool
               << "; checking it against the source\n";

  CheckArgs check =
      check_of(args, source.has_recipe() ? preprocess::to_text(source.recipe) : std::string());
  if (!args.json.wanted) return run_without(usable.left_out, check, terminal);
  std::ostringstream verdict;
  Terminal quiet{verdict, terminal.err, terminal.interactive, false, terminal.stop};
  check.verdict.json.wanted = true;
  const auto outcome = run_without(usable.left_out, check, quiet);
  if (!outcome) return outcome;
  const auto bytes = MappedFile::open(args.out);
  auto left_out = nlohmann::ordered_json::array();
  for (const dataset::Unreadable& one : usable.left_out)
    left_out.push_back({{"sample", one.name}, {"why", one.why}});
  nlohmann::ordered_json answer{
      {"model", args.source.model},
      {"to", args.to},
      {"out", args.out},
      {"tool", converted->tool},
      {"sha256", bytes ? sha256(bytes->bytes()) : ""},
      {"calibration_frames", wanted.frames},
      {"left_out", left_out},
      {"notes", converted->notes},
      {"faults", faults},
      {"verdict", nlohmann::ordered_json::parse(verdict.str(), nullptr, false)}};
  EP_CHECK(write_result(
      args.json,
      answer.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
      terminal.out));
  return outcome;
}

Work declare_convert(Parser& parser) {
  auto args = std::make_shared<ConvertArgs>();
  parser.option("model", args->source.model, "The float model: .onnx or .tflite").required();
  parser.option("--to", args->to, "int8 | int8-dynamic (.tflite) | openvino | tvm").required();
  parser.option("-o,--out", args->out, "The result: .onnx, .tflite, .xml or .so").required();
  add_recipe_flag(parser, "--recipe", args->source.recipe,
                  "The pre-processing of the source: text or a file");
  add_data(parser, args->data, true);
  parser
      .option("--calibration-frames", args->calibration_frames,
              "Number of evenly spread pictures that calibrate int8")
      .shows_default();
  parser
      .option("--calibration", args->calibration,
              "A list of the samples that calibrate int8 instead, one name per line, e.g. "
              "calibration.txt of --write-fix")
      .type("FILE");
  parser
      .option("--keep-float", args->keep_float,
              "Layers that stay in float32: a JSON list of node names (.onnx), or a recipe of "
              "ai-edge-quantizer (.tflite)")
      .type("FILE.json");
  parser.option("--python", args->python,
                "A Python that has the tool (default: an environment created on demand)");
  parser.option("--target-engine", args->engine,
                "Engine that checks the result (default: by its format)");
  add_target(parser, args->deployed, "Engine of the result");
  add_json(parser, args->json);
  add_engine(parser, args->source, "", "Engine of the source");
  return work_of(args);
}

}  // namespace edgeprobe::cli
