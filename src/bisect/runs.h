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

using Probes = std::map<int, Seen>;  ///< By the unit that they end before.

/// Runs parts on the black box, each once, and keeps what was found on the way.
class Runs {
 public:
  Runs(BlackBox& searched, const Control& control)
      : box(searched), units(searched.units()), control_(control) {}

  /// What the device makes of [from, to). kInterrupted when the user stops it.
  Result<Seen> device(int from, int to);
  /// What was run already.
  std::optional<Seen> known(int from, int to) const;
  /// The device behind a repair: BlackBox::resumed().
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

/// Whether the unit that a search ended at is wrong by itself, or with a neighbour: it is run
/// alone on the host's tensors, and others too where it may be one of many. `probes` are the
/// prefixes of [start, …) that were run. Nothing, with Outcome::kDrifts, where no single unit is.
Result<std::optional<Wrong>> confirmed(Runs& runs, int start, int unit, const Probes& probes);

/// Sets Found::repaired and repaired_gap: the device runs what is around the found operators, the
/// host the operators themselves, on what the device made so far. Takes no run where each stretch
/// around them was already seen to be right on the host's tensors.
Status measure_repair(Runs& runs);

}  // namespace edgeprobe::bisect
