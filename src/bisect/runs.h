// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bisect/black_box.h"
#include "bisect/found.h"
#include "core/control.h"

/// The device runs of one search. Internal to this folder.
namespace edgeprobe::bisect {

using Probes = std::map<int, Seen>;  ///< Keyed by the unit before which they stop.

/// Runs parts on the black box, each only once, and keeps intermediate findings.
class Runs {
 public:
  Runs(BlackBox& searched, const Control& control)
      : box(searched), units(searched.units()), control_(control) {}

  /// The device's result for [from, to). kInterrupted if the user stops it.
  Result<Seen> device(int from, int to);
  /// An earlier run's result.
  std::optional<Seen> known(int from, int to) const;
  /// The device after a repair: BlackBox::resumed().
  Result<Seen> resumed(const Seen& before, int resume, int to);

  BlackBox& box;
  const int units;
  Found found;

 private:
  template <class Run>
  Result<Seen> record(int from, int to, Run&& run);

  const Control& control_;
  std::map<std::pair<int, int>, Seen> seen_;
};

/// Checks whether the unit found by a search is wrong by itself, or with a neighbour: runs it
/// separately on the host's tensors, and others too if it may be one of many. `probes` are the
/// prefixes of [start, …) that were run. Returns nothing, and sets Outcome::kDrifts, if no single
/// unit is wrong.
Result<std::optional<Wrong>> confirmed(Runs& runs, int start, int unit, const Probes& probes);

/// Sets Found::repaired and repaired_gap: the host runs the operators found and the device the
/// rest, each on the results so far. Needs no run if each segment around them was already right on
/// the host's tensors.
Status measure_repair(Runs& runs);

}  // namespace edgeprobe::bisect
