#pragma once

#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe bench MODEL`: how fast, and how sure is that? `pipeline.threads` and `pipeline.cpus` are not used: both are swept.
struct BenchArgs {
  PipelineFlags pipeline;
  DataFlags data;
  std::string threads = "1";      ///< "1,2".
  std::vector<std::string> cpus;  ///< One set of CPUs each; empty: all.
  double duration_s = 5;
  std::size_t runs = 0;           ///< 0: for `duration_s`.
  double warm_up_s = 10;
  std::string noise = "5%";       ///< Run delay above this share of the latency makes a run noisy.
  std::string scenario = "single-stream";
  int streams = 1, batch = 1;
  bool layers = false;
  std::size_t cold = 0;
  std::uint64_t seed = 1;
  std::string perfetto;
  JsonFlag json;
};
Result<Outcome> run(const BenchArgs& args, Terminal& terminal);

/// `edgeprobe bench diff A.json B.json`: is B slower? kDiffers when it is.
struct BenchDiffArgs {
  std::string a, b;
  std::string threshold = "5%", layer_floor = "1%";
  bool force = false;
  JsonFlag json;
};
Result<Outcome> run(const BenchDiffArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
