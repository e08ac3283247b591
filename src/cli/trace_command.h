#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe trace info FILE`: what a trace holds.
struct TraceInfoArgs {
  std::string file;
  JsonFlag json;
};
Result<Outcome> run(const TraceInfoArgs& args, Terminal& terminal);

/// `edgeprobe trace cat FILE`: the values of its tensors.
struct TraceCatArgs {
  std::string file;
  std::optional<std::uint32_t> frame;  ///< Else all.
  std::string tensor;                  ///< A name, "<stage>/<name>" or "/<stage>/<name>"; empty: all.
  std::size_t values = 8;              ///< At most so many of each tensor; 0: all.
};
Result<Outcome> run(const TraceCatArgs& args, Terminal& terminal);

/// `edgeprobe trace export FILE`: the tensors for other programs.
struct TraceExportArgs {
  std::string file;
  std::string npz;  ///< NumPy archive to write; at least one of the two is given.
  std::string csv;  ///< Table to write.
  std::optional<std::uint32_t> frame;
  std::string tensor;
  bool force = false;  ///< Replace existing files.
};
Result<Outcome> run(const TraceExportArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
