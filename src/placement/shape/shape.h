// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "family/configuration.h"
#include "placement/search/timing.h"
#include "placement/shape/judged.h"
#include "placement/shape/part_models.h"
#include "placement/shape/space.h"
#include "stretch/plan.h"

namespace edgeprobe::placement::shape {

struct Options {
  std::vector<std::string> names;              ///< Of the network's processors.
  std::vector<stretch::Processor> processors;  ///< Where they are on this machine.
  Bounds bounds;
  std::int64_t grid = 16;
  std::size_t best = 10;
  double seconds = 0.3;
  std::size_t rounds = 3;
  bool fresh = false;
  std::chrono::milliseconds time_limit{60'000};
};

/// A network, and a way to run it.
struct Candidate {
  std::string name;  ///< "base, 1 thread on cpu", "two-1".
  /// Files without their endings: of the configuration, which ways to run one network share, and
  /// of the plan.
  std::string stem, plan_stem;
  Role role = Role::kBase;
  family::Configuration configuration;
  std::vector<StageShape> stages;  ///< Of a branched network.
  double macs = 0, longest_way = 0, parameters = 0;
  std::int64_t field = 0;
  stretch::Plan plan;
  std::optional<double> predicted;  ///< Seconds.
  std::vector<Timing> processes;
  std::string refused;  ///< Why it does not run: a sentence.
};

struct Found {
  std::vector<Candidate> candidates;
  Answer answer;
  /// Points of the model of latencies: measured now, kept by an earlier search, and those with
  /// fewer quiet runs than kFewestOfPoint.
  std::size_t measured = 0, known = 0, noisy = 0;
  std::vector<double> errors;  ///< Of held-out points, ascending: |predicted / measured - 1|.
  std::vector<std::vector<std::int64_t>> widths;  ///< Of each stage.
};

/// Measures branches of the base on their processors while the others work, finds the fastest
/// designs, and measures those with everything that the base can do on its own, in turn. kUsage for
/// bounds that leave no design; kInterrupted keeps the measured points.
Result<Found> search(const Base& base, const Options& options,
                     const std::function<void(const std::string&)>& says, const Control& control);

/// docs/guides/families-search.md describes the keys.
std::string to_json(const Found& found, const Options& options);

}  // namespace edgeprobe::placement::shape
