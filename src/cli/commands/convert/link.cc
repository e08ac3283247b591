// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/convert/link.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "check/layer_frames.h"
#include "cli/commands/check/check_command.h"
#include "cli/convert/calibration.h"
#include "cli/convert/usable.h"
#include "cli/convert/workplace.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "cli/tables/lint_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/evenly_spaced.h"
#include "core/file.h"
#include "core/result.h"
#include "core/scratch_folder.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "lint/lint.h"
#include "pipeline/run.h"
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

/// The part that checks a conversion with a split.
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
  std::error_code ignored;
  // A SavedModel keeps them in a folder.
  if (file.extension() == ".pb")
    for (const auto& one : fs::directory_iterator(file.parent_path() / "variables", ignored))
      files.insert(one.path());
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

/// Operators of a quantised .tflite that still compute in float, by type and the tensor that they
/// write.
std::vector<std::string> float_operators(const std::string& out) {
  std::vector<std::string> names;
  model::FileBytes file;
  const auto graph = model::load(out, file);
  if (!graph || model::format_of(*graph) != model::Format::kTflite) return names;
  for (const model::Layer& layer : graph->layers) {
    if (layer.type == "QUANTIZE" || layer.type == "DEQUANTIZE") continue;
    for (const int output : layer.outputs) {
      const TensorSpec& spec = graph->tensors[static_cast<std::size_t>(output)].spec;
      if (!is_float(spec.dtype)) continue;
      names.push_back(layer.type + " '" + sanitized(spec.name, 120) + "'");
      break;
    }
  }
  return names;
}

/// The examples of --train-data and their classes, for a method that trains.
Status write_examples(const ConvertArgs& args, pipeline::Pipeline& source, const fs::path& file,
                      Conversion& wanted, Terminal& terminal) {
  EP_TRY(const auto samples, training_samples(args, terminal));
  const auto classes = static_cast<int>(dataset::class_count(source.session->outputs()));
  if (source.session->outputs().size() != 1 || classes < 2)
    return Error{ErrorKind::kUnsupported,
                 "fine_tune trains a classifier with one output, a score for each class"};
  EP_CHECK(dataset::check_classes(samples, source.session->outputs()));
  EP_TRY(const auto usable, usable_samples(source, samples, terminal));
  EP_TRY(const auto written, write_calibration(source, usable.samples, file, terminal));
  if (written != usable.samples.size())
    return Error{ErrorKind::kTarget, "a sample of --train-data could be read only once"};
  wanted.train = {file, written};
  for (const dataset::Sample& sample : usable.samples)
    wanted.labels.push_back(std::get<task::ClassLabel>(*sample.annotation).index);
  return {};
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

/// Compares outputs instead of layers where the layers of the frames that a check captures exceed
/// its limit: a check that is refused after the conversion is of no use. Returns a note, or "".
std::string fit_level(CheckArgs& check, const pipeline::Pipeline& source, std::size_t frames) {
  const auto most = bytes_from_text(check.max_size);
  if (check.level != "layers" || !most || frames == 0) return "";
  const std::uint64_t each = pipeline::expected_bytes(source, pipeline::Level::kLayers, 1);
  const std::size_t captured = std::min(frames, check::kLayerFrames);
  if (each * captured <= *most) return "";
  check.level = "io";
  return "outputs are compared, not layers: those of " + counted(captured, "sample") +
         " would take " + bytes_text(static_cast<double>(each * captured)) + "; --frames " +
         std::to_string(std::max<std::uint64_t>(*most / each, 1)) + " compares them";
}

}  // namespace

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
  check.verdict.gate = args.gate;
  check.level = args.level;
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

Result<Outcome> run_link(const ConvertArgs& given, Terminal& terminal) {
  ConvertArgs args = given;
  EP_TRY(const auto to, target_of(args));
  // One Python has the user's compiler, and engines and data that are plug-ins.
  if (to.runs_in_framework()) args.source.interpreter = args.data.python = args.python;
  EP_CHECK(check_flags(args, to));
  EP_TRY(const auto most, calibration_frames(args));
  EP_TRY(const auto samples, samples_from(args.data, terminal));
  const bool are_arrays = !samples.empty() && !samples.front().arrays.empty();
  const auto arrays = are_arrays ? samples : std::vector<dataset::Sample>();
  EP_TRY(auto source, open_pipeline(args.source, arrays, terminal));
  if (to.method && to.calibrates()) EP_CHECK(check_float(source.session->inputs()));
  EP_TRY(const auto usable, usable_samples(source, samples, terminal));
  EP_TRY(auto work, Workplace::make(args.out));

  const fs::path file = work.path() / fs::path(args.out).filename();
  const auto format = model::format_of(source.graph);
  Conversion wanted{
      to,
      to.method ? name(to.method->source) : (format ? model::operations_of(*format).name : ""),
      args.source.model,
      file,
      source.session->inputs(),
      source.session->outputs()};
  EP_TRY(auto scratch, ScratchFolder::make());
  if (to.calibrates()) {
    wanted.calibration.file = scratch.path() / "calibration.bin";
    EP_TRY(const auto pool, calibration_pool(args.data, usable.samples, terminal));
    EP_TRY(auto chosen, calibration_samples(args, pool, most));
    EP_TRY(wanted.calibration.frames,
           write_calibration(source, chosen, wanted.calibration.file, terminal));
    if (args.data.split.is_given())
      terminal.err << "note: " << counted(wanted.calibration.frames, "sample") << " of the "
                   << (args.calibration.empty() ? "training part" : "list")
                   << " calibrate; the check uses the " << checked_part(args)
                   << " part, which calibration never sees\n";
  }
  if (to.trains())
    EP_CHECK(write_examples(args, source, scratch.path() / "train.bin", wanted, terminal));
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
  const std::string level_note = fit_level(check, source, usable.samples.size());
  if (to.compiler) EP_CHECK(check_result(*to.compiler, check, arrays, terminal));
  const std::uint64_t before = bytes_of(args.source.model, source.graph), after = work.bytes();
  EP_CHECK(work.place(args.out, inputs_of(args)));
  check.target.model = args.out;
  std::vector<std::string> notes = converted->notes;
  if (!level_note.empty()) notes.push_back(level_note);
  std::vector<std::string> in_float;
  if (to.method && to.method->calibrates) in_float = float_operators(args.out);
  if (!in_float.empty()) notes.push_back("still computed in float: " + edgeprobe::joined(in_float));
  for (const std::string& note : notes) terminal.err << "note: " << note << "\n";
  const std::vector<std::string> faults = faults_of(args.out);
  for (const std::string& fault : faults) terminal.err << "warning: " << fault << "\n";
  terminal.err << "written: " << sanitized(args.out, 300) << " by " << converted->label() << ", "
               << bytes_text(static_cast<double>(after)) << " from "
               << bytes_text(static_cast<double>(before))
               << (converted->for_machine.empty() ? "; checking it against the source\n" : "\n");

  // Another machine's code cannot be checked here.
  const bool is_foreign = !converted->for_machine.empty();
  if (is_foreign)
    notes.push_back("not checked: it is compiled for " + converted->for_machine +
                    "; run 'edgeprobe check " + fs::path(args.out).filename().string() +
                    " --reference " + fs::path(args.source.model).filename().string() +
                    " …' on such a machine");
  if (is_foreign) terminal.err << "note: " << notes.back() << "\n";
  if (!args.json.wanted)
    return is_foreign ? Result<Outcome>(Outcome::kUndecided)
                      : run_without(usable.left_out, check, terminal);
  const fs::path verdict = scratch.path() / "verdict.json";
  check.verdict.json = {true, verdict.string()};
  std::ostringstream unheard;
  Terminal quiet{unheard, terminal.err, terminal.interactive, false, terminal.stop};
  const auto outcome =
      is_foreign ? Result<Outcome>(Outcome::kUndecided)
                 : run_without(usable.left_out, check, args.json.file.empty() ? quiet : terminal);
  if (!outcome) return outcome;
  const auto judged = is_foreign ? Result<Bytes>(Bytes()) : read_file(verdict, kLargestVerdict);
  if (!judged) return Error(judged.error());
  ordered_json answer = json_of(args, *converted);
  answer["source_bytes"] = before;
  answer["bytes"] = after;
  answer["calibration_frames"] = wanted.calibration.frames;
  answer["calibration_part"] = !to.calibrates()             ? ""
                               : !args.calibration.empty()  ? "list"
                               : args.data.split.is_given() ? "train"
                                                            : "all";
  answer["checked_part"] = args.data.split.is_given() ? checked_part(args) : "all";
  answer["check_level"] = check.level;
  answer["train_frames"] = wanted.train.frames;
  if (!converted->weights.empty())
    answer["weights"] = ordered_json::parse(converted->weights, nullptr, false);
  answer["left_out"] = ordered_json::array();
  for (const dataset::Unreadable& one : usable.left_out)
    answer["left_out"].push_back({{"sample", one.name}, {"why", one.why}});
  answer["notes"] = notes;
  answer["float_operators"] = in_float;
  answer["faults"] = faults;
  if (is_foreign) answer["for_machine"] = converted->for_machine;
  answer["verdict"] =
      is_foreign ? ordered_json() : ordered_json::parse(ByteView(*judged).text(), nullptr, false);
  EP_CHECK(write_result(args.json,
                        answer.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
                        terminal.out));
  return outcome;
}

}  // namespace edgeprobe::cli
