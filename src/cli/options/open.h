// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "check/observer.h"
#include "cli/options/data_flags.h"
#include "cli/options/pipeline_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/run.h"

namespace edgeprobe::cli {

/// Opens a pipeline for these samples, and reports which recipe is used if none was given.
Result<pipeline::Pipeline> open_pipeline(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples,
                                         Terminal& terminal);
/// The samples of a trace for replay and diagnose, completed with those of --data. --frames N takes
/// the first ones for recorded tensors and carried states, else evenly spread ones.
Result<pipeline::TraceSamples> raw_inputs(const trace::Reader& reader, const DataFlags& flags,
                                          Terminal& terminal);

/// Shows a library call's steps as progress on the terminal, its notices as lines; Ctrl-C stops it.
check::Observer observer_of(Terminal& terminal);

}  // namespace edgeprobe::cli
