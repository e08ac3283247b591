// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe trace receive SOURCE -o OUT`: a trace of what a microcontroller sends
/// (docs/guides/microcontroller.md).
struct TraceReceiveArgs {
  std::string source;
  std::string out;
  int baud = 115200;
  std::optional<std::uint64_t> frames;  ///< Else until the device says goodbye or the source ends.
  std::optional<double> timeout_s;      ///< Without a byte. Else for ever.
  bool force = false;
  JsonFlag json;
};
/// Packets and frames that were lost are warnings. Fails when no frame came, and with kInterrupted
/// after Ctrl-C; the trace is finished in any case.
Result<Outcome> run(const TraceReceiveArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
