// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe bisect MODEL --engine DEVICE`: which operators does an engine that shows no layers
/// compute wrongly?
struct BisectArgs {
  PipelineFlags pipeline;  ///< Its engine is the device.
  std::string host;        ///< "litert:builtin"; empty: the trusted one of the model's format.
  DataFlags data;          ///< Pictures; without them, seeded random inputs.
  std::uint64_t seed = 1;
  std::string evidence;  ///< A .zip to write; empty: none.
  bool force = false;
  JsonFlag json;
};
/// kDone when the outputs are the host's, kDiffers with wrong operators, kUndecided when no single
/// one is wrong.
Result<Outcome> run(const BisectArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
