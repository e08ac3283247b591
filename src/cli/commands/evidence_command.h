// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe evidence FILE [--engine X]`: what is in it, and whether the fault is there.
struct EvidenceArgs {
  std::string file;
  PipelineFlags pipeline;  ///< Its engine replays; without one nothing is run.
  JsonFlag json;
};
/// kDone when only listed, or when the fault is not there; kDiffers when it is.
Result<Outcome> run(const EvidenceArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
