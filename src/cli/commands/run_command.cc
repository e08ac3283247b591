// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run_command.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "check/no_pictures.h"
#include "check/recording.h"
#include "cli/commands/run_measurements.h"
#include "cli/options/folder_order.h"
#include "cli/options/overwrite.h"
#include "cli/terminal/progress.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "pipeline/function/run.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/there/run_there.h"
#include "stats/quantile.h"
#include "trace/names.h"

namespace edgeprobe::cli {
namespace {

std::string config_of(const pipeline::Pipeline& pipeline) {
  const engine::EngineIdentity& engine = pipeline.engine->identity();
  const std::string kernels = engine::kernels_used(engine, pipeline.spec.session);
  std::string config = engine.kind + (kernels.empty() ? "" : "-" + kernels);
  if (pipeline.spec.session.threads != 1)
    config += "-" + std::to_string(pipeline.spec.session.threads) + "threads";
  return config;
}

std::filesystem::path default_trace(const pipeline::Pipeline& pipeline, const PipelineFlags& flags,
                                    const std::string& data) {
  std::filesystem::path root(data);
  if (!root.has_filename()) root = root.parent_path();
  std::string preprocess = pipeline.default_recipe ? "default"
                           : pipeline.made_input   ? "recipe"
                                                   : "tensors";
  if (pipeline.function)
    preprocess = "pipeline-" + flags.function.substr(flags.function.rfind(':') + 1) + "-" +
                 pipeline.function->sha256().substr(0, 8);
  else if (pipeline.made_input && !pipeline.default_recipe)
    preprocess += "-" + sha256(view_of(preprocess::to_text(pipeline.recipe))).substr(0, 8);
  return trace::conventional_path("traces", root.filename().string(),
                                  pipeline.spec.model.stem().string(), config_of(pipeline),
                                  preprocess);
}

std::int64_t median_ns(std::vector<std::int64_t> ns) { return stats::upper_median(ns); }

std::string summary_text(const pipeline::RunSummary& summary, const std::string& path) {
  if (summary.frames == 0)
    return "interrupted before the first frame was done: no trace was written\n";
  std::string text = sanitized(path, 400) + ": " + std::to_string(summary.frames) + " frames";
  if (summary.layers) text += ", " + std::to_string(summary.layers) + " layers each";
  text += ", " + bytes_text(static_cast<double>(summary.written.bytes));
  if (!summary.latency_ns.empty())
    text += ", median latency " +
            number(static_cast<double>(median_ns(summary.latency_ns)) / 1e6, 3) + " ms";
  text += "\n";
  if (summary.layers)
    text += summary.moved_outputs
                ? "capture moved the outputs of " + std::to_string(summary.moved_outputs) +
                      " frames by at most " + number(summary.moved_by, 2) +
                      (summary.moved_by > 1e-5
                           ? "\n"
                           : ", rounding: the engine fuses less when layers are outputs\n")
                : "capture left the outputs of every frame as they were\n";
  if (!summary.plain_ns.empty())
    text += std::to_string(summary.kernels_timed) + " kernels timed in " +
            std::to_string(summary.plain_ns.size()) + " frames; timing them made a frame " +
            number(static_cast<double>(median_ns(summary.profiled_ns)) /
                       static_cast<double>(std::max<std::int64_t>(1, median_ns(summary.plain_ns))),
                   3) +
            " times as long (edgeprobe trace info --latency shows them)\n";
  if (summary.interrupted) text += "interrupted: the trace keeps the frames above\n";
  return text;
}

std::string summary_json(const pipeline::RunSummary& summary, const std::string& path) {
  nlohmann::ordered_json json;
  json["trace"] = path;
  json["frames"] = summary.frames;
  json["layers"] = summary.layers;
  json["bytes"] = summary.written.bytes;
  json["median_latency_ns"] = summary.latency_ns.empty()
                                  ? nlohmann::ordered_json(nullptr)
                                  : nlohmann::ordered_json(median_ns(summary.latency_ns));
  json["frames_moved_by_capture"] = summary.moved_outputs;
  json["moved_by"] = summary.moved_by;
  if (!summary.plain_ns.empty())
    json["layer_times"] = {{"kernels", summary.kernels_timed},
                           {"frames", summary.plain_ns.size()},
                           {"plain_median_ns", median_ns(summary.plain_ns)},
                           {"profiled_median_ns", median_ns(summary.profiled_ns)}};
  json["interrupted"] = summary.interrupted;
  json["unreadable"] = nlohmann::ordered_json::array();
  for (const auto& sample : summary.unreadable)
    json["unreadable"].push_back({{"sample", sample.name}, {"why", sample.why}});
  json["warnings"] = summary.warnings;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

Status one_source(const PipelineFlags& flags) {
  if (flags.function.empty() || flags.recipe.empty()) return {};
  return Error{ErrorKind::kUsage,
               "--recipe and --pipeline both make the model input; give one of them"};
}

struct Output {
  std::string level, trace, max_size;
  bool force = false;
  JsonFlag json;
  MeasurementsOutput measurements;
  std::vector<std::string> inputs;  ///< Files that are read, which none of the outputs may be.
};

using Runner = std::function<Result<pipeline::RunSummary>(
    const std::filesystem::path&, const pipeline::RunOptions&, const Control&)>;

Result<Outcome> run_samples(const Runner& runner,
                            const std::function<std::uint64_t(pipeline::Level)>& expected_bytes,
                            const Output& output, pipeline::RunOptions options,
                            const std::string& title, Terminal& terminal) {
  const auto level = pipeline::level_from_name(output.level);
  if (!level)
    return Error{ErrorKind::kUsage, "--level '" + sanitized(output.level) +
                                        "': expected none, io, embedding or layers"};
  auto most = bytes_from_text(output.max_size);
  if (!most) return std::move(most.error()).during("--max-size");
  options.level = *level;
  options.most_bytes = *most;
  options.replace = output.force;
  if (auto good = check_outputs({{"--trace", output.trace},
                                 {"--json", output.json.file},
                                 {"--measurements", output.measurements.file}},
                                output.inputs);
      !good)
    return std::move(good.error());
  if (auto good = check_texts(
          {{"--json", output.json.file}, {"--measurements", output.measurements.file}}, {});
      !good)
    return std::move(good.error());
  const std::uint64_t expected = expected_bytes(*level);
  if (expected > 100'000'000)
    terminal.err << "the trace will take about " << bytes_text(static_cast<double>(expected))
                 << "\n";
  std::error_code failure;
  const std::filesystem::path path(output.trace);
  if (!output.force && std::filesystem::exists(std::filesystem::symlink_status(path, failure)))
    return Error{ErrorKind::kUsage, "'" + sanitized(path.string()) +
                                        "' exists; give another --trace, or --force to replace it"};
  failure.clear();  // a file that is not there yet was no failure
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failure);
  if (failure)
    return Error{ErrorKind::kUsage, "'" + sanitized(path.parent_path().string()) +
                                        "': cannot create: " + failure.message()};
  Result<pipeline::RunSummary> summary = Error{};
  {
    Progress progress(terminal, title);
    summary = runner(path, options, Control{terminal.stop, progress.callback()});
  }
  if (!summary) return std::move(summary.error());
  if (const std::string problems = check::problems_text(*summary); !problems.empty())
    terminal.err << problems << "\n";
  if (!output.measurements.file.empty() && summary->frames > 0)
    if (auto done = write_measurements(output.measurements, output.trace, terminal); !done)
      return std::move(done.error());
  if (output.json.wanted)
    if (auto done = write_result(output.json, summary_json(*summary, output.trace), terminal.out);
        !done)
      return std::move(done.error());
  if (!output.json.wanted || !output.json.file.empty())
    terminal.out << summary_text(*summary, output.trace);
  if (summary->interrupted) return Error{ErrorKind::kInterrupted, "stopped by the user"};
  return Outcome::kDone;
}

Result<Outcome> run_samples(pipeline::Pipeline& pipeline,
                            const std::vector<dataset::Sample>& samples, const Output& output,
                            const pipeline::RunOptions& options, const std::string& title,
                            Terminal& terminal) {
  return run_samples(
      [&](const std::filesystem::path& path, const pipeline::RunOptions& ready,
          const Control& control) {
        return pipeline::run(pipeline, samples, path, ready, control);
      },
      [&](pipeline::Level level) {
        return pipeline::expected_bytes(pipeline, level, samples.size());
      },
      output, options, title, terminal);
}

/// The target decodes, prepares and records, too.
Result<Outcome> run_there(const RunArgs& args, const std::vector<dataset::Sample>& samples,
                          Output output, const pipeline::RunOptions& options, Terminal& terminal) {
  if (args.pipeline.target.empty())
    return Error{ErrorKind::kUsage, "--there: on which machine? Give its --target"};
  const auto spec = spec_from(args.pipeline, samples);
  if (!spec) return spec.error();
  if (output.trace.empty()) {
    const std::string recipe = spec->recipe ? preprocess::to_text(*spec->recipe) : "";
    output.trace =
        trace::conventional_path(
            "traces", options.dataset, spec->model.stem().string(), "target",
            recipe.empty() ? "default" : "recipe-" + sha256(view_of(recipe)).substr(0, 8))
            .string();
  }
  return run_samples(
      [&](const std::filesystem::path& path, const pipeline::RunOptions& ready,
          const Control& control) {
        return pipeline::run_there(*spec, samples, path, ready, control);
      },
      [](pipeline::Level) { return std::uint64_t{0}; }, output, options, "run", terminal);
}

/// Arrays belong to the frames of their names. Where they meet none, the inputs that the trace
/// recorded itself would be replayed in their place, and agree with themselves.
Status check_arrays_meet_frames(const trace::Reader& reader,
                                const std::vector<dataset::Sample>& data,
                                const std::string& given) {
  if (data.empty() || data.front().arrays.empty() || reader.records().empty()) return {};
  std::set<std::string> names;
  for (const dataset::Sample& sample : data) names.insert(sample.name);
  for (const trace::FrameRecord& record : reader.records())
    if (names.count(record.sample) > 0) return {};
  const std::string& first = reader.records().front().sample;
  return Error{ErrorKind::kUsage,
               "--data " + sanitized(given, 200) +
                   ": none of its samples is a frame of the trace. They belong together by their "
                   "names: the data begins with '" +
                   sanitized(data.front().name) + "', the trace with " +
                   (first.empty() ? "a frame without a name" : "'" + sanitized(first) + "'") +
                   "; record frames as probe.frame(sample=NAME), or name the samples in an array "
                   "'samples'"};
}

}  // namespace

Result<pipeline::Pipeline> open_pipeline(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples,
                                         Terminal& terminal) {
  auto spec = spec_from(flags, samples);
  if (!spec) return std::move(spec.error());
  check::Observer observer;
  observer.stop = terminal.stop;
  observer.notice = [&terminal](const std::string& text) { terminal.err << text << "\n"; };
  return check::open_pipeline(*spec, nullptr, observer);
}

Result<pipeline::TraceSamples> raw_inputs(const trace::Reader& reader, const DataFlags& flags) {
  const auto frames = frames_from(flags);
  if (!frames) return frames.error();
  // Of the trace's frames so many are taken; any picture of the folder may be one of them.
  DataFlags whole = flags;
  whole.frames.clear();
  const auto data = samples_from(whole);
  if (!data) return data.error();
  if (auto some = check_arrays_meet_frames(reader, *data, flags.data); !some)
    return std::move(some).error();
  auto raw = pipeline::raw_inputs(reader, *data);
  if (!raw || *frames == 0 || *frames >= raw->samples.size()) return raw;
  const std::vector<dataset::Sample> samples = std::exchange(raw->samples, {});
  const std::vector<std::uint32_t> numbers = std::exchange(raw->frames, {});
  for (std::size_t i = 0; i < *frames; ++i) {
    const std::size_t at = i * samples.size() / *frames;
    raw->samples.push_back(samples[at]);
    raw->frames.push_back(numbers[at]);
  }
  return raw;
}

Result<Outcome> run(const RunArgs& args, Terminal& terminal) {
  if (auto good = one_source(args.pipeline); !good) return std::move(good.error());
  std::string few;
  auto samples = samples_from(args.data, &few);
  if (!samples) return std::move(samples.error());
  if (!few.empty()) terminal.err << "warning: " << few << "\n";
  pipeline::RunOptions options;
  options.undeclared = args.undeclared;
  auto beside = sensor_log(args.sensors);
  if (!beside) return std::move(beside.error());
  options.beside = *std::move(beside);
  // Of a model on another machine this one's memory says nothing.
  if (!args.measurements.empty() && args.pipeline.target.empty())
    options.beside = machine_log(std::move(options.beside));
  const auto raw = pipeline::raw_form_from_name(args.no_raw ? "none" : args.raw);
  if (!raw)
    return Error{ErrorKind::kUsage,
                 "--raw '" + sanitized(args.raw) + "': expected encoded, pixels or none"};
  options.raw_inputs = *raw;
  options.layer_times = args.layer_times;
  options.dataset = std::filesystem::path(args.data.data).filename().string();
  MeasurementsOutput measurements{args.measurements, {}, args.pipeline.target.empty()};
  if (!args.measurements.empty()) {
    auto labels = dataset::read_labels(args.data.labels, args.data.classes);
    if (!labels) return std::move(labels.error()).during("--labels");
    measurements.classes = std::move(labels->classes);
  }
  Output output{args.level,
                args.trace,
                args.max_size,
                args.force,
                args.json,
                std::move(measurements),
                joined(files_of(args.pipeline), files_of(args.data))};
  if (args.there) return run_there(args, *samples, std::move(output), options, terminal);
  auto pipeline = open_pipeline(args.pipeline, *samples, terminal);
  if (!pipeline) return std::move(pipeline.error());
  if (auto good = dataset::check_classes(*samples, pipeline->session->outputs()); !good)
    return std::move(good.error());
  if (const std::string doubt = folders_in_doubt(args.data, *samples, pipeline->session->outputs());
      !doubt.empty())
    terminal.err << "warning: " << doubt << "\n";
  if (output.trace.empty())
    output.trace = default_trace(*pipeline, args.pipeline, args.data.data).string();
  return run_samples(*pipeline, *samples, output, options, "run", terminal);
}

Result<Outcome> run(const ReplayArgs& args, Terminal& terminal) {
  if (auto good = one_source(args.pipeline); !good) return std::move(good.error());
  if (args.pipeline.model.empty() && args.pipeline.function.empty())
    return Error{ErrorKind::kUsage,
                 "give a MODEL to replay with, or your own --pipeline FILE.py:FUNCTION"};
  auto source = trace::Reader::open(args.source);
  if (!source) return std::move(source.error());
  auto raw = raw_inputs(*source, args.data);
  if (!raw) return std::move(raw.error());
  if (raw->samples.empty()) return check::no_pictures(*source, *raw, args.data.data);
  if (!raw->without_raw.empty())
    terminal.err << "warning: " << raw->without_raw.size()
                 << " frames have no raw input and are left out, e.g. "
                 << sanitized(raw->without_raw.front()) << "\n";
  pipeline::RunOptions options;
  options.frame_numbers = raw->frames;
  options.layer_times = args.layer_times;
  const Output output{
      args.level,
      args.trace,
      args.max_size,
      args.force,
      args.json,
      {},
      joined(files_of(args.pipeline), files_of(args.data), std::vector{args.source})};
  if (args.pipeline.model.empty()) {
    if (args.layer_times)
      return Error{ErrorKind::kUsage,
                   "--layer-times needs a model: a --pipeline that runs alone has no layers"};
    const auto spec = function_from(args.pipeline);
    if (!spec) return spec.error();
    auto function = pipeline::UserFunction::start(*spec, terminal.control());
    if (!function) return std::move(function.error());
    return run_samples(
        [&](const std::filesystem::path& path, const pipeline::RunOptions& ready,
            const Control& control) {
          return pipeline::run_function(**function, raw->samples, path, ready, control);
        },
        [](pipeline::Level) { return std::uint64_t{0}; }, output, options, "replay", terminal);
  }
  auto pipeline = open_pipeline(args.pipeline, raw->samples, terminal);
  if (!pipeline) return std::move(pipeline.error());
  if (!args.data.labels.empty())
    if (auto good = dataset::check_classes(raw->samples, pipeline->session->outputs()); !good)
      return std::move(good.error());
  return run_samples(*pipeline, raw->samples, output, options, "replay", terminal);
}

}  // namespace edgeprobe::cli
