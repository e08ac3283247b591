// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stretch/division.h"
#include "stretch/regions.h"

namespace edgeprobe::placement {

/// Seconds until one processor notices that another is done while both spin, as in a runner.
inline constexpr double kHandingOver = 1e-6;

/// A promising division, with the estimate from its pieces.
struct Promise {
  std::string name;  ///< "2 regions over 2 processors (1, 3)": numbers as in `stretch regions`.
  stretch::Division division;
  double seconds = 0;  ///< Infinite if a piece does not run.
  double alone = 0;    ///< The estimate without interference between parallel parts.
};

/// Divisions, the fastest first: the best over all subsets of the regions, all regions together,
/// and each region separately. Branches of a region are placed where their own costs are best.
std::vector<Promise> promises_of(const stretch::Chain& chain, const stretch::Regions& regions,
                                 const stretch::Cost& cost, const stretch::SplitCost& split_cost,
                                 std::size_t processors);

}  // namespace edgeprobe::placement
