// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe predict-precision MODEL`: what would float16 or bfloat16 do to it?
struct PredictArgs {
  PipelineFlags pipeline;
  DataFlags data;                       ///< Pictures; without them, seeded random inputs.
  std::vector<std::string> precisions;  ///< Names of precision::Scheme; empty: all.
  std::uint64_t seed = 1;
  JsonFlag json;
};
Result<Outcome> run(const PredictArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
