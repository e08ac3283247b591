// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/stream/windows.h"

namespace edgeprobe::diagnose::stream {

enum class Kind {
  kHop,          ///< Windows advance by `rows` instead of the reference's hop.
  kLate,         ///< All windows are `rows` later in the stream; negative: earlier.
  kStale,        ///< Single windows come from elsewhere, once or occasionally.
  kDropped,      ///< `rows` of the stream are missing from some point on.
  kRepeated,     ///< `rows` of the stream are repeated.
  kExchanged,    ///< Two windows, or two blocks, are exchanged.
  kHalfWritten,  ///< From or up to some row, a window holds another one's values.
  kNoContext,    ///< The first `row` rows are zeros instead of earlier data.
  kThinned,      ///< After every `row` rows, `rows` are missing; negative: repeated.
};

/// One kind of fault, with the windows that show it.
struct Finding {
  Kind kind = Kind::kStale;
  long rows = 0;  ///< As stated for the kind; of the first window.
  /// The first wrong row of the first window; for kNoContext and kThinned as stated there.
  std::size_t row = 0;
  std::size_t end = 0;                    ///< kHalfWritten: index after the last wrong row.
  std::vector<std::size_t> windows = {};  ///< Indices, ascending.
  long least = 0, most = 0;               ///< Smallest and largest absolute value of `rows`.

  bool varies() const { return least != most; }
};
struct Findings {
  std::vector<Finding> all;              ///< Sorted by first window.
  std::vector<std::size_t> unexplained;  ///< Windows that are wrong in another way.
  long hop = 0;
  std::vector<std::size_t> breaks;  ///< Same as Places::breaks.
};
/// Explains the fed windows by the reference's stream. Nothing if all are right.
Findings findings_of(const Windows& windows);

}  // namespace edgeprobe::diagnose::stream
