// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::search {

/// Finds the smallest change of a reference's front end that reproduces recorded model inputs.
/// Inputs are measured: they count as reproduced below a residual.
template <class FrontEnd>
struct Found {
  enum class Status {
    kEqual,  ///< The reference reproduces the inputs.
    kExact,  ///< `app` reproduces the inputs.
    /// `app` reproduces the inputs with fitted numbers; a single input cannot distinguish these
    /// from artefacts.
    kMeasured,
    kPartial,    ///< `app` is nearest and explains most of the distance; never reported as a cause.
    kUnknown,    ///< No candidate comes close.
    kDestroyed,  ///< Too few values remain for a search.
  } status = Status::kUnknown;
  FrontEnd app;
  std::vector<FrontEnd> equals;  ///< Other front ends that these recordings cannot distinguish from
                                 ///< `app`.
  double before = 0, left = 0;   ///< Residuals in the problem's units.
  std::size_t evaluations = 0;
};

}  // namespace edgeprobe::search
