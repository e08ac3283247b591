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

}  // namespace edgeprobe::bisect
