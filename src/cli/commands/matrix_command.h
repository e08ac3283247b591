// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe matrix MODEL`: one model file on several engines; who computes the same as whom?
struct MatrixArgs {
  /// Model, recipe, threads, time limit, and the target whose engine goes beside those of this
  /// machine; its own engine is not used.
  PipelineFlags pipeline;
  /// "tflite:reference"; empty: all that this machine has.
  std::vector<std::string> engines;
  std::string reference;  ///< One of them, the trusted one.
  DataFlags data;         ///< Pictures; without them, seeded random inputs.
  std::uint64_t seed = 1;
  bool outputs_only = false, all = false;
  JsonFlag json;
};
Result<Outcome> run(const MatrixArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
