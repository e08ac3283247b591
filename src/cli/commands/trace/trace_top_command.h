// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe trace top FILE`: what a recording that is under way does, every moment anew.
struct TraceTopArgs {
  std::string file;
  double interval_s = 1;
  bool once = false;  ///< Show what is there and end.
};
/// Ends when the recording ends, or when the user stops it: both are kDone.
Result<Outcome> run(const TraceTopArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
