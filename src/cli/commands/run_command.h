// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands/sensor_log.h"
#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/run.h"

namespace edgeprobe::cli {

/// `edgeprobe run MODEL --data DIR`: what does it do? Writes a trace.
struct RunArgs {
  PipelineFlags pipeline;
  DataFlags data;
  std::string level = "io";
  std::string trace;  ///< Empty: traces/<dataset>/<model>/<config>_<preprocess>.mcap.
  bool undeclared = false, no_raw = false, force = false;
  bool layer_times = false;
  bool there = false;  ///< The target decodes, prepares and records, too.
  /// How pictures are kept: encoded, pixels or none (no_raw means none).
  std::string raw = "encoded";
  std::string max_size = "2GB";
  SensorFlag sensors;
  std::string measurements;  ///< A file; empty: none.
  JsonFlag json;
};
Result<Outcome> run(const RunArgs& args, Terminal& terminal);

/// `edgeprobe replay t.mcap MODEL --recipe R --trace r.mcap`: the same frames through another
/// pipeline.
struct ReplayArgs {
  std::string source;  ///< The trace whose frames are replayed.
  PipelineFlags pipeline;
  DataFlags data;  ///< For raw inputs that the trace does not hold, and labels.
  std::string level = "io";
  std::string trace;
  bool force = false, layer_times = false;
  std::string max_size = "2GB";
  JsonFlag json;
};
Result<Outcome> run(const ReplayArgs& args, Terminal& terminal);

/// Opens a pipeline for these samples, and says which recipe is used if none was given.
Result<pipeline::Pipeline> open_pipeline(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples,
                                         Terminal& terminal);
/// The samples of a trace for replay and diagnose: those of --data complete it, --frames N leaves
/// so many of them, evenly spread.
Result<pipeline::TraceSamples> raw_inputs(const trace::Reader& reader, const DataFlags& flags);

}  // namespace edgeprobe::cli
