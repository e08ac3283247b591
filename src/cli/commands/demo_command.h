// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe demo`: the main job on a model and pictures that are inside the program.
struct DemoArgs {
  std::string out;     ///< Keeps the files and reports; empty: a folder that goes at the end.
  std::string engine;  ///< As --engine of other verbs; empty: the usual one.
  bool fetch = false;  ///< Brings the engine when there is none.
};

/// kDone when the planted fault was found and confirmed, else an error: unlike `diagnose`, whose
/// exit code tells of the model.
Result<Outcome> run(const DemoArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
