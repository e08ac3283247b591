// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/options/truth_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "measurements/measurements.h"

namespace edgeprobe::cli {

/// `edgeprobe measurements FILE…`: what was measured, and how several sets compare.
struct MeasurementsArgs {
  std::vector<std::string> files;  ///< Measurements as JSON, or traces.
  TruthFlags truth;                ///< For traces.
  std::string html, markdown, rst;
  std::string svg;           ///< What the names of the charts begin with.
  std::string measurements;  ///< Where to write what the only file holds, as JSON.
  JsonFlag json;
};
Result<Outcome> run(const MeasurementsArgs& args, Terminal& terminal);

/// What a trace holds of measurements; true classes are those of `truth`, else its own.
Result<measurements::Measurements> measured_in(const std::string& trace, const Truth& truth);

}  // namespace edgeprobe::cli
