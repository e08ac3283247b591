// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe inspect MODEL`: what a model file holds, without running it.
struct InspectArgs {
  std::string model;
  bool tensors = false;  ///< Also the table of all tensors (always in JSON).
  bool ops = false;      ///< Also the inputs of each layer (always in JSON).
  bool lint = false;     ///< Also what is wrong with the file, or likely to be.
  JsonFlag json;
};

/// Writes the header, the operators and the layers of the model. kDone, or the reader's error;
/// kDiffers when lint finds a fault.
Result<Outcome> run(const InspectArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
