#pragma once

#include <string>

#include "cli/flags.h"
#include "cli/sensor_log.h"
#include "cli/terminal.h"
#include "core/result.h"
#include "pipeline/raw_inputs.h"
#include "pipeline/run.h"

namespace edgeprobe::cli {

/// `edgeprobe run MODEL --data DIR`: what does it do? Writes a trace.
struct RunArgs {
  PipelineFlags pipeline;
  DataFlags data;
  std::string level = "io";
  std::string trace;      ///< Empty: traces/<dataset>/<model>/<config>_<preprocess>.mcap.
  bool undeclared = false, no_raw = false, force = false;
  bool layer_times = false;
  std::string raw = "encoded";  ///< How pictures are kept: encoded, pixels or none (no_raw means none).
  std::string max_size = "2GB";
  SensorFlag sensors;
  JsonFlag json;
};
Result<Outcome> run(const RunArgs& args, Terminal& terminal);

/// `edgeprobe replay t.mcap MODEL --recipe R --trace r.mcap`: the same frames through another pipeline.
struct ReplayArgs {
  std::string source;     ///< The trace whose frames are replayed.
  PipelineFlags pipeline;
  DataFlags data;         ///< For raw inputs that the trace does not hold, and labels.
  std::string level = "io";
  std::string trace;
  bool force = false, layer_times = false;
  std::string max_size = "2GB";
  JsonFlag json;
};
Result<Outcome> run(const ReplayArgs& args, Terminal& terminal);

/// What check needs too: opens a pipeline, saying which recipe is used when none was given.
/// `other`: the input of the model that it is compared with, see share_range().
Result<pipeline::Pipeline> open_pipeline(const PipelineFlags& flags, Terminal& terminal, const TensorSpec* other = nullptr);
/// A float model without a recipe takes the range that the integer input of the other side states.
void share_range(pipeline::Pipeline& pipeline, const TensorSpec& other);
/// The samples of a trace for replay and diagnose: those of --data complete it, --frames N leaves so many of them, evenly spread.
Result<pipeline::TraceSamples> raw_inputs(const trace::Reader& reader, const DataFlags& flags);
/// Prints warnings and the samples that were left out (the first ten by name).
void report_problems(const pipeline::RunSummary& summary, Terminal& terminal);

}  // namespace edgeprobe::cli
