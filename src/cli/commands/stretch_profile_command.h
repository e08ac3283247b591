// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/options/flags.h"
#include "cli/terminal/terminal.h"
#include "core/result.h"

namespace edgeprobe::cli {

/// `edgeprobe stretch profile FOLDER|FILE`: what each model and plan takes, as a table in CSV.
struct StretchProfileArgs {
  std::string path;
  std::string plan_model;  ///< Of plans without a model beside them; "": none.
  PipelineFlags pipeline;  ///< Of models; plans say engine, threads and CPUs themselves.
  std::string affinity;    ///< A list or a mask of CPUs; "": all.
  DataFlags data;
  std::uint64_t seed = 1;
  std::string output = "result.csv";
  bool force = false;
  double seconds = 1;
  int processes = 1;
  std::string energy_counter;  ///< "": the processors' packages.
  double energy_seconds = 20;
  JsonFlag json;
};

/// kDone where all have figures; kTarget names the first that has none. kInterrupted keeps the rows
/// that are done, and the next run goes on behind them.
Result<Outcome> run(const StretchProfileArgs& args, Terminal& terminal);

}  // namespace edgeprobe::cli
