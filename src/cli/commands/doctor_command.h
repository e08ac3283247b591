// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe doctor`: which engines this machine has, whether they start, and what to install.
struct DoctorArgs {
  std::vector<std::string> engines;  ///< "tflite:/path/lib.so"; empty: the default of every kind.
  bool force_engine_version = false;
  bool meters = false;      ///< Instead: what can be measured here, and why the rest cannot.
  bool processors = false;  ///< Instead: what processors there are, and what is in their way.
  std::string cpus;         ///< With processors: the CPUs that the engine will get, "0,2-3".
  int threads = 0;          ///< With processors: of the engine; 0: not said.
  JsonFlag json;
};

/// Opens each engine in a process of its own and writes what it is. kDone when at least one engine
/// works, else kNotFound; a kind that is merely not installed is not an error. Looks at the machine
/// end with kDone whatever they find.
Result<Outcome> run(const DoctorArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
