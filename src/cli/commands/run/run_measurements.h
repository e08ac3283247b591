// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/truth_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "measurements/measurements.h"

namespace edgeprobe::cli {

/// --measurements of a run.
struct MeasurementsOutput {
  std::string file;                  ///< Empty: none.
  std::vector<std::string> classes;  ///< Their names, as far as they are known.
  bool here = true;                  ///< The model runs on this machine.
};

/// Writes what the trace of the run holds of measurements, and says so.
Status write_measurements(const MeasurementsOutput& output, const std::string& trace,
                          Terminal& terminal);

/// What a trace holds of measurements; true classes are those of `truth`, else its own.
Result<measurements::Measurements> measured_in(const std::string& trace, const Truth& truth);

}  // namespace edgeprobe::cli
