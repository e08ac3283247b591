// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stretch/division.h"
#include "stretch/regions.h"

namespace edgeprobe::placement {

/// Seconds that one processor needs to learn that another one is done, as a runner hands over while
/// both spin.
inline constexpr double kHandingOver = 1e-6;

/// A division that is worth a look, and what its pieces promise.
struct Promise {
  std::string
      name;  ///< "2 regions over 2 processors (1, 3)": numbers as `stretch regions` has them.
  stretch::Division division;
  double seconds = 0;  ///< Infinite where a piece does not run.
  double alone = 0;    ///< The same where nothing that runs at once disturbs the other.
};

/// The best of all subsets of the regions, all of them, and each by itself; the fastest first. The
/// branches of a region lie where their own costs put them best.
std::vector<Promise> promises_of(const stretch::Chain& chain, const stretch::Regions& regions,
                                 const stretch::Cost& cost, const stretch::SplitCost& split_cost,
                                 std::size_t processors);

}  // namespace edgeprobe::placement
