// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>

#include "check/reference.h"
#include "cli/commands/run/run_samples.h"
#include "cli/options/data_flags.h"
#include "cli/options/json_flag.h"
#include "cli/options/open.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "core/text.h"
#include "dataset/labels.h"
#include "pipeline/run_function.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe replay t.mcap MODEL --recipe R --trace r.mcap`: runs the same frames
/// through another pipeline.
struct ReplayArgs {
  std::string source;  ///< The trace whose frames are replayed.
  PipelineFlags pipeline;
  DataFlags data;  ///< Raw inputs that the trace lacks, and labels.
  std::string level = "io";
  std::string trace;
  bool force = false, layer_times = false;
  std::string max_size = "2GB";
  JsonFlag json;
};

Result<Outcome> run(const ReplayArgs& args, Terminal& terminal) {
  EP_CHECK(one_source(args.pipeline));
  if (args.pipeline.model.empty() && args.pipeline.function.empty())
    return Error{ErrorKind::kUsage,
                 "give a MODEL to replay with, or your own --pipeline FILE.py:FUNCTION"};
  EP_TRY(auto source, trace::Reader::open(args.source));
  EP_TRY(auto raw, raw_inputs(source, args.data, terminal));
  if (raw.samples.empty()) return check::no_pictures(source, raw, args.data.data);
  if (!raw.without_raw.empty())
    terminal.err << "warning: " << raw.without_raw.size()
                 << " frames have no raw input and are left out, e.g. "
                 << sanitized(raw.without_raw.front()) << "\n";
  pipeline::RunOptions options;
  options.frame_numbers = raw.frames;
  options.layer_times = args.layer_times;
  const RunOutput output{
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
                   "--layer-times needs a model: a --pipeline that runs by itself has no layers"};
    EP_TRY(const auto spec, function_from(args.pipeline));
    EP_TRY(auto function, pipeline::UserFunction::start(spec, terminal.control()));
    return run_samples(
        [&](const std::filesystem::path& path, const pipeline::RunOptions& ready,
            const Control& control) {
          return pipeline::run_function(*function, raw.samples, path, ready, control);
        },
        [](pipeline::Level) { return std::uint64_t{0}; }, output, options, "replay", terminal);
  }
  EP_TRY(auto pipeline, open_pipeline(args.pipeline, raw.samples, terminal));
  if (const std::string fitted = dataset::fit_background(raw.samples, pipeline.session->outputs());
      !fitted.empty())
    terminal.err << "note: " << fitted << "\n";
  if (is_labelled(args.data))
    EP_CHECK(dataset::check_classes(raw.samples, pipeline.session->outputs()));
  return run_samples(pipeline, raw.samples, output, options, "replay", terminal);
}

Work declare_replay(Parser& parser) {
  auto args = std::make_shared<ReplayArgs>();
  parser.option("source", args->source, "The trace whose frames are replayed").required();
  parser.option("model,--model", args->pipeline.model,
                "A model file (optional with --pipeline, which then runs only the function)");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe, "Pre-processing: text or a file");
  add_function(parser, args->pipeline, "");
  add_python(parser, args->pipeline, "", &args->data);
  add_tokenizer(parser, args->pipeline, "--tokenizer");
  add_states(parser, args->pipeline, "");
  add_data(parser, args->data, false);
  parser.option("--level", args->level, "Amount to record: none | io | embedding | layers")
      .shows_default();
  parser.flag("--layer-times", args->layer_times,
              "Add a pass with profiling, which records the time of each layer (edgeprobe trace "
              "info --latency)");
  parser.option("--trace", args->trace, "The file to write").required();
  parser.flag("--force", args->force, "Replace an existing trace");
  parser.option("--max-size", args->max_size, "Refuse to write a larger trace").shows_default();
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  add_target(parser, args->pipeline, "Engine");
  add_cpus(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
