// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>

#include "check/cut_off.h"
#include "cli/commands/run/run_measurements.h"
#include "cli/commands/run/run_samples.h"
#include "cli/commands/run/sensor_log.h"
#include "cli/convert/conversion_file.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/metric_flag.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "pipeline/there/run_there.h"
#include "trace/names.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe run MODEL --data DIR`: runs a model and writes a trace.
struct RunArgs {
  PipelineFlags pipeline;
  DataFlags data;
  std::string level = "io";
  std::string trace;  ///< Empty: traces/<dataset>/<model>/<config>_<preprocess>.mcap.
  bool undeclared = false, no_raw = false, force = false;
  bool layer_times = false;
  bool there = false;  ///< The target also decodes, pre-processes and records.
  /// How pictures are stored: encoded, pixels or none (no_raw means none).
  std::string raw = "encoded";
  std::string max_size = "2GB";
  SensorFlag sensors;
  std::string measurements;  ///< A file; empty: none.
  std::string metric;        ///< A plug-in; empty: none.
  std::string conversion;    ///< The JSON of the `convert` that made the model; empty: none.
  JsonFlag json;
};

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

/// The target also decodes, pre-processes and records.
Result<Outcome> run_there(const RunArgs& args, const std::vector<dataset::Sample>& samples,
                          RunOutput output, const pipeline::RunOptions& options,
                          Terminal& terminal) {
  if (args.pipeline.target.empty())
    return Error{ErrorKind::kUsage, "--there: on which machine? Give its --target"};
  if (std::any_of(samples.begin(), samples.end(),
                  [](const dataset::Sample& sample) { return sample.may_follow_background; }))
    return Error{ErrorKind::kUsage,
                 "--there with imagenet: the target cannot tell models with 1000 and with 1001 "
                 "classes apart; run without --there, or give --labels"};
  EP_TRY(const auto spec, spec_from(args.pipeline, samples));
  if (output.trace.empty()) {
    const std::string recipe = spec.recipe ? preprocess::to_text(*spec.recipe) : "";
    output.trace =
        trace::conventional_path(
            "traces", options.dataset, spec.model.stem().string(), "target",
            recipe.empty() ? "default" : "recipe-" + sha256(view_of(recipe)).substr(0, 8))
            .string();
  }
  return run_samples(
      [&](const std::filesystem::path& path, const pipeline::RunOptions& ready,
          const Control& control) {
        return pipeline::run_there(spec, samples, path, ready, control);
      },
      [](pipeline::Level) { return std::uint64_t{0}; }, output, options, "run", terminal);
}

}  // namespace

Result<Outcome> run(const RunArgs& args, Terminal& terminal) {
  EP_CHECK(one_source(args.pipeline));
  EP_TRY(auto samples, samples_from(args.data, terminal));
  pipeline::RunOptions options;
  options.undeclared = args.undeclared;
  EP_TRY(options.beside, sensor_log(args.sensors));
  // For a model on another machine, this one's memory is irrelevant.
  if (!args.measurements.empty() && args.pipeline.target.empty())
    options.beside = machine_log(std::move(options.beside));
  const auto raw = pipeline::raw_form_from_name(args.no_raw ? "none" : args.raw);
  if (!raw)
    return Error{ErrorKind::kUsage,
                 "--raw '" + sanitized(args.raw) + "': expected encoded, pixels or none"};
  options.raw_inputs = *raw;
  options.layer_times = args.layer_times;
  options.dataset = data_name(args.data.data);
  if (!args.conversion.empty()) {
    EP_TRY(options.made_by, conversion_facts(args.conversion, args.pipeline.model));
  }
  MeasurementsOutput measurements{args.measurements, {}, args.pipeline.target.empty()};
  if (!args.metric.empty() && args.measurements.empty())
    return Error{ErrorKind::kUsage,
                 "--metric writes its figure into --measurements FILE, which is not given"};
  EP_TRY(measurements.metric, metric_from(args.metric, args.data, terminal.control()));
  if (!args.measurements.empty()) {
    EP_TRY(measurements.classes, class_names_from(args.data));
  }
  RunOutput output{
      args.level,
      args.trace,
      args.max_size,
      args.force,
      args.json,
      std::move(measurements),
      joined(files_of(args.pipeline), files_of(args.data), std::vector{args.conversion})};
  if (args.there && !args.conversion.empty())
    return Error{ErrorKind::kUsage, "--conversion with --there: the target writes the trace"};
  if (args.there) return run_there(args, samples, std::move(output), options, terminal);
  EP_TRY(auto pipeline, open_pipeline(args.pipeline, samples, terminal));
  if (const std::string fitted = dataset::fit_background(samples, pipeline.session->outputs(),
                                                         &output.measurements.classes);
      !fitted.empty())
    terminal.err << "note: " << fitted << "\n";
  EP_CHECK(dataset::check_classes(samples, pipeline.session->outputs()));
  if (const std::string doubt = folders_in_doubt(args.data, samples, pipeline.session->outputs());
      !doubt.empty())
    terminal.err << "warning: " << doubt << "\n";
  if (const std::string doubt = check::cut_off_doubt(pipeline.recipe, pipeline.input());
      !doubt.empty())
    terminal.err << "warning: " << doubt << "\n";
  if (output.trace.empty())
    output.trace = default_trace(pipeline, args.pipeline, data_name(args.data.data)).string();
  return run_samples(pipeline, samples, output, options, "run", terminal);
}

Work declare_run(Parser& parser) {
  auto args = std::make_shared<RunArgs>();
  parser
      .option("model", args->pipeline.model,
              "A model: .tflite, .onnx, OpenVINO .xml or compiled TVM .so")
      .required();
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing: text or a file (edgeprobe recipe --help); 'NAME: …' for one of "
                  "several inputs");
  add_function(parser, args->pipeline, "");
  add_python(parser, args->pipeline, "", &args->data);
  add_tokenizer(parser, args->pipeline, "--tokenizer");
  add_states(parser, args->pipeline, "");
  add_data(parser, args->data, true);
  parser.option("--level", args->level, "Amount to record: none | io | embedding | layers")
      .shows_default();
  parser.flag("--layer-times", args->layer_times,
              "Add a pass with profiling, which records the time of each layer (edgeprobe trace "
              "info --latency)");
  parser.option("--trace", args->trace,
                "The file to write (default: traces/<dataset>/<model>/<config>_<preprocess>.mcap)");
  parser.flag("--undeclared", args->undeclared,
              "Write no recipe, model or engine name into the trace");
  parser
      .option("--raw", args->raw,
              "Pictures in the trace: encoded (original bytes) | pixels (decoded) | none")
      .shows_default();
  parser.flag("--no-raw", args->no_raw, "The same as --raw none");
  parser.flag("--force", args->force, "Replace an existing trace");
  parser.option("--max-size", args->max_size, "Refuse to write a larger trace").shows_default();
  parser
      .option(
          "--sensors",
          [flag = &args->sensors](const std::string& uri) {
            *flag = {true, uri};
          },
          "Also record temperature, frequency, power and IIO sensors; those of the libiio context "
          "URI (ip:HOST, usb:) instead of this machine's")
      .optional_value("[URI]");
  parser
      .option("--measurements", args->measurements,
              "Also write times, memory and CPU load over time, and quality, with Kenning's keys "
              "(edgeprobe measurements)")
      .type("FILE");
  add_metric(parser, args->metric);
  parser
      .option("--conversion", args->conversion,
              "The --json of the 'convert' that made this model: its compiler and its options go "
              "into the trace and the measurements")
      .type("FILE.json");
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  parser
      .flag("--there", args->there,
            "Decode, prepare and record on the target, too (pictures); its trace comes back")
      .group("Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
