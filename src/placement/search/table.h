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
#include "placement/search/exactness.h"
#include "placement/search/timing.h"
#include "stretch/plan.h"

/// The fair comparison of one plan: with everything that its engine can do by itself.
namespace edgeprobe::placement {

struct TableOptions {
  double seconds = 1;                            ///< Of each measurement, behind its warm-up.
  std::size_t rounds = 3;                        ///< Processes of each way; the fastest one counts.
  std::chrono::milliseconds time_limit{60'000};  ///< Of one load or one inference.
  std::filesystem::path folder;
  meter::EnergyPlan energy;
};

/// One way to run the model.
struct TableRow {
  std::string way;  ///< "one thread", "all cores", "the engine's parallel mode", "in sequence", ...
  /// Of the process with the least median; nothing where the way is not had, or was not quiet.
  std::optional<Timing> timing;
  std::vector<Timing> processes;
  std::optional<Difference> difference;  ///< From the first row; nothing for that row itself.
  std::string missing;                   ///< Why there are no figures.
  std::uint64_t macs = 0;                ///< Rows that two parts compute count twice.
  meter::NetEnergy energy;               ///< Of one inference, where there are figures.
};

struct Table {
  std::vector<TableRow> rows;
  std::size_t plain = 0;  ///< Rows at the front that `ratio` compares with.
  /// The least of one thread, all cores and the model on each delegate over the concurrent plan,
  /// with an interval from the ends of both; nothing where one of them is missing.
  struct Ratio {
    double value = 0, low = 0, high = 0;
  };
  std::optional<Ratio> ratio;
};

/// Measures all ways in turns, each time in a process of its own: the engine of the plan's first
/// processor without a delegate with one thread on its CPU, and with a thread on each CPU of the
/// plan; the whole model on each processor with a delegate; ONNX Runtime's parallel execution; all
/// layers split by channels over the plan's processors; the plan's pieces one after the other on
/// that first processor; the plan. Then the energy of each in a further process.
/// Fewer quiet runs than kFewestQuiet in the fastest process give no figures. kUsage for a plan of
/// another model.
Result<Table> table(const stretch::Plan& plan, const model::Graph& graph, ByteView file,
                    const TableOptions& options, const Control& control);

}  // namespace edgeprobe::placement
