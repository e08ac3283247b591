// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe trace info FILE`: what a trace holds. Of a folder: one line for each trace in it.
struct TraceInfoArgs {
  std::string file;
  JsonFlag json = {};
  /// Also the latencies, and the times of the layers where they were recorded.
  bool latency = false;
  /// Also what values the tensors hold: NaN, infinite, denormal, saturated ones.
  bool values = false;
};
Result<Outcome> run(const TraceInfoArgs& args, Terminal& terminal);

/// `edgeprobe trace cat FILE`: the values of its tensors.
struct TraceCatArgs {
  std::string file;
  std::optional<std::uint32_t> frame;  ///< Else all.
  std::string tensor;      ///< A name, "<stage>/<name>" or "/<stage>/<name>"; empty: all.
  std::size_t values = 8;  ///< At most so many of each tensor; 0: all.
};
Result<Outcome> run(const TraceCatArgs& args, Terminal& terminal);

/// `edgeprobe trace export FILE`: the tensors for other programs.
struct TraceExportArgs {
  std::string file;
  std::string npz;  ///< NumPy archive to write; at least one of the five is given.
  std::string csv;  ///< Table to write.
  std::optional<std::uint32_t> frame;
  std::string tensor;
  bool force = false;         ///< Replace existing files.
  std::string perfetto = {};  ///< Time line to write; takes the whole trace.
  /// Table to write: a file by its ending .parquet, else a folder of three.
  std::string parquet = {};
  std::string view = {};    ///< Copy for viewers to write; takes the whole trace.
  std::string python = {};  ///< For `parquet`; empty: one is looked for.
};
Result<Outcome> run(const TraceExportArgs& args, Terminal& terminal);

/// `edgeprobe trace verify FILE`: is every byte what its writer wrote? Fails with kCorrupt when it
/// is not.
struct TraceVerifyArgs {
  std::string file;
};
Result<Outcome> run(const TraceVerifyArgs& args, Terminal& terminal);

/// `edgeprobe trace recover FILE`: a finished file of what is left of a cut or damaged one.
struct TraceRecoverArgs {
  std::string file;
  std::string out;  ///< Empty: FILE with ".recovered" before its extension. Never overwritten.
};
Result<Outcome> run(const TraceRecoverArgs& args, Terminal& terminal);

/// `edgeprobe trace pack FILE -o OUT`: the same trace with packed or plain chunks.
struct TracePackArgs {
  std::string file, out;
  std::string compression = "zstd";  ///< zstd, lz4 or none.
  std::optional<int> level;
};
Result<Outcome> run(const TracePackArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
