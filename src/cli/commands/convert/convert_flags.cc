// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/convert/convert_flags.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "cli/options/overwrite.h"
#include "cli/options/values.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/plugin.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

/// Checks that the machine for the result is reachable, before a conversion that may take minutes.
Status check_machine(const ConvertArgs& args) {
  const std::string& address = args.deployed.target;
  if (address.empty()) return {};
  const auto names = method_names();
  if (std::find(names.begin(), names.end(), address) != names.end())
    return Error{ErrorKind::kUsage, "--target '" + address +
                                        "' is a format, which goes to --to; --target is the "
                                        "machine that checks the result, tcp://HOST:PORT"};
  const std::string extension = fs::path(args.out).extension().string();
  if (extension != ".tflite" && extension != ".onnx")
    return Error{ErrorKind::kUnsupported,
                 "--to " + sanitized(args.to, 200) +
                     ": a target takes .tflite and .onnx files; leave out --target to check the "
                     "result on this machine"};
  return {};
}

/// Checks that the result's engine is there, before a conversion that may take minutes.
Status check_engine_of_result(const ConvertArgs& args, bool is_plugin) {
  const std::string extension = fs::path(args.out).extension().string();
  const auto formats = engine::file_formats();
  const bool is_known =
      std::any_of(formats.begin(), formats.end(),
                  [&](const engine::FormatKind& format) { return format.extension == extension; });
  if (!is_known && args.engine.empty() && engine::own_plugin_for(args.out).empty())
    return Error{ErrorKind::kUsage, "-o '" + sanitized(args.out, 200) +
                                        "': no engine is known for " + extension +
                                        " files; name the one that checks the result with "
                                        "--target-engine (docs/extending.md)"};
  if (args.deployed.target.empty() && !is_plugin) return {};
  PipelineFlags flags = args.deployed;
  flags.model = args.out;
  flags.engine = args.engine;
  flags.interpreter = args.source.interpreter;
  EP_TRY(auto spec, spec_from(flags));
  auto opened = engine::open_supervised(spec.engine);
  if (!opened) return Error(opened.error()).during("the engine of the result");
  return {};
}

Error unknown_target(const std::string& to) {
  if (to == "edgetpu")
    return {ErrorKind::kUnsupported,
            "--to edgetpu: the Edge TPU compiler is a closed program that may not be passed "
            "on and exists for x86 Debian only. "
            "Quantise with --to int8, run 'edgetpu_compiler OUT.tflite' where you have it, "
            "and check the result on the device "
            "with --engine tflite --delegate external:libedgetpu.so.1"};
  const std::vector<std::string> names = method_names();
  const std::string near = closest_match(to, names);
  return {ErrorKind::kUsage, "--to '" + sanitized(to) + "': expected " + edgeprobe::joined(names) +
                                 ", or a compiler of your own as FILE.py:CLASS or python:NAME" +
                                 (near.empty() ? "" : "; did you mean '" + near + "'?")};
}

/// Checks the files of a conversion by a tool of edgeprobe's own.
Status check_files(const ConvertArgs& args, const ConversionTarget& to) {
  if (to.compiler) return to.compiler->check_files(args.source.model, args.out);
  const std::string extension = fs::path(args.out).extension().string();
  const std::string wanted =
      *to.method->result ? to.method->result : fs::path(args.source.model).extension().string();
  if (extension != wanted)
    return Error{ErrorKind::kUsage, "-o '" + sanitized(args.out, 200) + "': --to " + to.name +
                                        " writes a " + wanted + " file"};
  return {};
}

/// Checks the flags for samples that belong to only some methods.
Status check_samples(const ConvertArgs& args, const ConversionTarget& to) {
  if (!args.calibration.empty() && !to.calibrates())
    return Error{ErrorKind::kUsage,
                 to.compiler
                     ? "--calibration: " + to.compiler->about().method +
                           to.compiler->about().place + " has no parameter 'calibration'"
                     : "--calibration belongs to --to int8; --to " + to.name + " takes none"};
  if (!args.keep_float.empty() && !takes_keep_float(to))
    return Error{ErrorKind::kUsage,
                 "--keep-float belongs to --to int8 of an .onnx or a .tflite; this --to " +
                     sanitized(to.name, 200) + " takes none"};
  if (to.trains() && !has_training_samples(args))
    return train_data_missing("--to " + to.name + " with fine_tune");
  return {};
}

}  // namespace

Result<ConversionTarget> target_of(const ConvertArgs& args) {
  if (engine::names_class(args.to)) {
    const auto limit = time_limit_from(args.compile_limit_s);
    if (!limit)
      return Error{ErrorKind::kUsage, "--compile-limit " + number(args.compile_limit_s) +
                                          ": expected seconds above 0, at most 86400 (a day)"};
    EP_TRY(auto compiler, PluginCompiler::open(args.to, args.python, *limit));
    return ConversionTarget{
        args.to, nullptr, {}, std::make_shared<PluginCompiler>(std::move(compiler))};
  }
  EP_TRY(auto split, split_method(args.to));
  auto& [to, given] = split;
  const auto names = method_names();
  if (std::find(names.begin(), names.end(), to) == names.end()) return unknown_target(to);
  const auto source = source_kind(args.source.model);
  const Method* const method = source ? find_method(to, *source) : nullptr;
  if (!method)
    return Error{ErrorKind::kUnsupported,
                 "'" + sanitized(args.source.model, 200) + "': --to " + to + " is for " +
                     sources_of(to) +
                     "; others are converted by a compiler of your own (docs/extending.md)"};
  EP_TRY(auto options, options_from(*method, given));
  return ConversionTarget{to, method, std::move(options)};
}

bool takes_keep_float(const ConversionTarget& to) {
  return to.method && to.name == "int8" &&
         (to.method->source == SourceKind::kOnnx || to.method->source == SourceKind::kTflite);
}

Error train_data_missing(const std::string& who) {
  return {ErrorKind::kUsage,
          who +
              " trains the model: give --train-data and --train-labels, samples other than those "
              "of --data, which judge the result; or part --data by --split-fraction-test, and the "
              "training part is taken"};
}

std::vector<std::string> inputs_of(const ConvertArgs& args) {
  return joined(files_of(args.source), files_of(args.data), files_of(args.train),
                std::vector{args.calibration, args.keep_float});
}

namespace {

Status check_classes_there(const std::vector<dataset::Sample>& samples, const std::string& flag) {
  for (const dataset::Sample& sample : samples)
    if (!sample.annotation || !std::holds_alternative<task::ClassLabel>(*sample.annotation))
      return Error{ErrorKind::kUsage, flag + ": '" + sanitized(sample.name, 200) +
                                          "' has no class; give " +
                                          (flag == "--data" ? "--labels" : "--train-labels")};
  return {};
}

}  // namespace

bool has_training_samples(const ConvertArgs& args) {
  return !args.train.data.empty() || args.data.split.is_given();
}

Result<std::vector<dataset::Sample>> training_samples(const ConvertArgs& args, Terminal& terminal) {
  if (args.train.data.empty()) {
    EP_TRY(auto parts, parts_from(args.data, terminal));
    EP_CHECK(check_classes_there(parts.train, "--data"));
    return std::move(parts.train);
  }
  DataFlags flags = args.train;
  flags.classes = args.data.classes;
  flags.python = args.data.python;
  flags.time_limit_s = args.data.time_limit_s;
  auto read = samples_from(flags);
  if (!read) return std::move(read).error().during("--train-data");
  std::error_code failed;
  if (fs::equivalent(args.train.data, args.data.data, failed))
    return Error{ErrorKind::kUsage,
                 "--train-data is --data: a model that has seen the samples that judge it looks "
                 "better than it is"};
  EP_CHECK(check_classes_there(*read, "--train-data"));
  return read;
}

Status check_flags(const ConvertArgs& args, const ConversionTarget& to) {
  if (args.data.data.empty())
    return Error{ErrorKind::kUsage, "--data is missing: the result is checked on pictures, and " +
                                        std::string(to.compiler ? "a compiler may be" : "int8 is") +
                                        " calibrated with them"};
  EP_CHECK(check_samples(args, to));
  const bool uses_part = to.calibrates() || (to.trains() && args.train.data.empty());
  if (uses_part && args.data.split.part == dataset::name(dataset::Part::kTrain))
    return Error{ErrorKind::kUsage, std::string("--split train would check the result with the "
                                                "samples that ") +
                                        (to.calibrates() ? "calibrate" : "train") +
                                        " it; leave it out to check with the test"};
  EP_CHECK(check_files(args, to));
  EP_CHECK(check_outputs({{"-o", args.out}, {"--json", args.json.file}}, inputs_of(args)));
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  EP_CHECK(check_machine(args));
  return check_engine_of_result(args, to.compiler != nullptr);
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

}  // namespace edgeprobe::cli
