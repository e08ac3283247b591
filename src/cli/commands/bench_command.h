// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/load.h"
#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe bench MODEL`: how fast, and how sure is that? `pipeline.threads` and `pipeline.cpus`
/// are not used: both are swept.
struct BenchArgs {
  PipelineFlags pipeline;
  DataFlags data;
  std::optional<std::string> threads;  ///< "1,2"; none: one, or what a plan says.
  std::vector<std::string> cpus;       ///< One set of CPUs each; empty: all.
  double duration_s = 5;
  std::size_t runs = 0;  ///< 0: for `duration_s`.
  double warm_up_s = 10;
  std::string noise = "5%";  ///< Run delay above this share of the latency makes a run noisy.
  std::string scenario = "single-stream";
  int streams = 1, batch = 1;
  bool layers = false;
  std::size_t cold = 0;
  std::uint64_t seed = 1;
  std::string perfetto;
  JsonFlag json;
};
Result<Outcome> run(const BenchArgs& args, Terminal& terminal);

/// `edgeprobe bench diff A B`: is B slower? kDiffers when it is, kUndecided when that cannot be
/// told. A and B are models, which are measured in turns, or results of `bench --json`.
struct BenchDiffArgs {
  std::string a, b;
  std::vector<std::string> files_a, files_b;  ///< Results, instead of `a` and `b`.
  std::string threshold = "5%", layer_floor = "1%";
  bool force = false;
  JsonFlag json;
  // Of models alone.
  PipelineFlags pipeline;  ///< Of A, and of B where nothing else is said of it.
  std::optional<std::string> b_engine, b_kernels, b_optimization;
  std::optional<int> b_threads;
  std::size_t rounds = 30;
  double duration_s = 1, warm_up_s = 0.5;
  bool layers = false;
  std::uint64_t seed = 1;
};
Result<Outcome> run(const BenchDiffArgs& args, Terminal& terminal);

/// What differs from the usual, in words that two measurements can be compared by.
std::string options_text(const PipelineFlags& flags);

}  // namespace edgeprobe::cli
