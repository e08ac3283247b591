// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "meter/net_energy.h"
#include "model/graph.h"
#include "placement/search/evidence.h"
#include "placement/search/exactness.h"
#include "placement/search/options.h"
#include "placement/search/timing.h"
#include "stretch/plan.h"

/// Compares one plan with everything that its engine can do on its own.
namespace edgeprobe::placement {

struct TableOptions {
  /// Duration of each measurement, after its warm-up.
  double seconds = 1;
  std::size_t rounds = 3;                        ///< Processes for each way at first.
  std::chrono::milliseconds time_limit{60'000};  ///< Limit for one load or one inference.
  std::filesystem::path folder;
  GivenInputs inputs;
  meter::EnergyPlan energy;
};

/// One way to run the model.
struct TableRow {
  std::string way;  ///< "one thread", "all cores", "the engine's parallel mode", "in sequence", ...
  std::optional<Evidence> evidence;  ///< Empty if the way is unavailable or lacks evidence.
  std::vector<Timing> processes;
  std::optional<Difference> difference;  ///< From the first row; empty for that row.
  std::string missing;                   ///< Why figures are missing.
  std::uint64_t macs = 0;                ///< Rows that two parts compute count twice.
  meter::NetEnergy energy;               ///< Energy of one inference, if there are figures.
};

struct Table {
  std::vector<TableRow> rows;
  std::size_t plain = 0;  ///< Leading rows that `ratio` compares with.
  /// The lowest time of one thread, all cores and the model on each delegate, divided by that of
  /// the concurrent plan, with an interval from both intervals' ends; empty if the plan or one that
  /// may be the fastest lacks evidence.
  struct Ratio {
    double value = 0, low = 0, high = 0;
  };
  std::optional<Ratio> ratio;
};

/// Measures all ways in turn, each in a process of its own: the engine of the plan's first
/// processor without a delegate, with one thread on its CPU and with a thread on each CPU of the
/// plan; the whole model on each processor with a delegate; ONNX Runtime's parallel execution; all
/// layers split by channels across the plan's processors; the plan's pieces in sequence on that
/// first processor; the plan. Ways that `ratio` compares get more processes until they have
/// evidence, as in a search. Then measures the energy of each in a further process. kUsage for a
/// plan of another model.
Result<Table> table(const stretch::Plan& plan, const model::Graph& graph, ByteView file,
                    const TableOptions& options, const Control& control);

}  // namespace edgeprobe::placement
