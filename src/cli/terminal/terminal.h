// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <ostream>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// A verb's finding; with failures (1) and usage errors (2), the complete set of exit codes.
enum class Outcome { kDone = 0, kDiffers = 3, kUndecided = 4 };

/// A verb's environment: where it writes, and whether the user wants it to stop.
struct Terminal {
  std::ostream& out;         ///< Results.
  std::ostream& err;         ///< Diagnostics and progress.
  bool interactive = false;  ///< err is a terminal: a progress bar instead of lines.
  bool color = false;        ///< out is a terminal that shows colours.
  /// Set by Ctrl-C; work stops at the next frame and keeps its results.
  const std::atomic<bool>* stop = nullptr;
  /// Runs another command line of this program in this process; its words begin with the verb.
  Result<Outcome> (*perform)(const std::vector<std::string>& words, Terminal& terminal) = nullptr;

  /// Control of work that shows no progress.
  Control control() const { return {stop, {}}; }
  bool stopped() const { return stop && stop->load(std::memory_order_relaxed); }
};

}  // namespace edgeprobe::cli
