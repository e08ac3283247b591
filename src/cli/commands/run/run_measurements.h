// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/truth_flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"
#include "measurements/measurements.h"

namespace edgeprobe::cli {

/// The --measurements flag of a run.
struct MeasurementsOutput {
  std::string file;                                    ///< Empty: none.
  std::vector<std::string> classes;                    ///< Class names, if known.
  bool here = true;                                    ///< The model runs on this machine.
  std::shared_ptr<task::UserMetric> metric = nullptr;  ///< The user's, or null.
};

/// Writes the measurements in the run's trace, and reports it.
Status write_measurements(const MeasurementsOutput& output, const std::string& trace,
                          Terminal& terminal);

/// The measurements in a trace; true classes are those of `truth`, else its own.
Result<measurements::Measurements> measured_in(const std::string& trace, const Truth& truth);

}  // namespace edgeprobe::cli
