// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// Which processors a model may be divided over.
struct ProcessorFlags {
  std::string device;                ///< A device.yaml; "": the CPUs of this machine.
  std::vector<std::string> engines;  ///< On each CPU; empty: the model's own.
  std::string cpus;                  ///< "0,1"; "": those that this process may use.
};

/// `edgeprobe stretch plan MODEL`: a division by the work of its layers, without a measurement.
struct StretchPlanArgs {
  std::string model;
  ProcessorFlags processors;
  std::string split;   ///< "channels", "rows": layers are split; "": branches are divided.
  std::string output;  ///< The plan.
  bool force = false;
};

/// `edgeprobe stretch search MODEL`: measures, and decides.
struct StretchSearchArgs {
  std::string model;
  ProcessorFlags processors;
  std::string output;  ///< The plan of what was chosen; "": none is written.
  std::string plans;   ///< A folder for the plan of each way that was measured; "": none.
  double seconds = 0.3;
  int best = 3;
  int rounds = 3;
  bool fresh = false;
  bool force = false;
  double time_limit_s = 60;  ///< Of one load or one inference.
  JsonFlag json;
};

Result<Outcome> run(const StretchPlanArgs& args, Terminal& terminal);
/// kDone whatever the answer is; kInterrupted keeps what was measured for the next search.
Result<Outcome> run(const StretchSearchArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
