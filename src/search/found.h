// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace edgeprobe::search {

/// Which smallest change of a reference's front end reproduces recorded model inputs, where these
/// are measured: inputs are reproduced below a residual.
template <class FrontEnd>
struct Found {
  enum class Status {
    kEqual,  ///< The reference itself does.
    kExact,  ///< `app` does.
    /// `app` does, by numbers that a single input cannot tell from figures of its own.
    kMeasured,
    kPartial,    ///< `app` is nearest, and explains most of it; never a cause.
    kUnknown,    ///< Nothing in the lists comes near.
    kDestroyed,  ///< Hardly any values are left to search in.
  } status = Status::kUnknown;
  FrontEnd app;
  std::vector<FrontEnd> equals;  ///< Others that these recordings cannot tell from it.
  double before = 0, left = 0;   ///< Residuals in the problem's units.
  std::size_t evaluations = 0;
};

}  // namespace edgeprobe::search
