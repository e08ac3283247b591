// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/stream/windows.h"

namespace edgeprobe::diagnose::stream {

enum class Kind {
  kHop,          ///< Windows move on by `rows`, not by the reference's hop.
  kLate,         ///< All windows lie `rows` later in the stream; below 0: earlier ones are fed.
  kStale,        ///< Single windows lie elsewhere, once or now and then.
  kDropped,      ///< `rows` of the stream are missing from some place on.
  kRepeated,     ///< `rows` of the stream come twice.
  kExchanged,    ///< Two windows, or two blocks, in each other's place.
  kHalfWritten,  ///< From or up to a row a window holds another one's values.
  kNoContext,    ///< The first `row` rows are zeros, not what came before.
  kThinned,      ///< `rows` are missing, or come twice where below 0, after every `row` rows.
};

/// One kind of fault, with the windows that show it.
struct Finding {
  Kind kind = Kind::kStale;
  long rows = 0;        ///< As above, of the first of them.
  std::size_t row = 0;  ///< Of the first: the first row that is wrong; kNoContext, kThinned.
  std::size_t end = 0;  ///< kHalfWritten: one after the last wrong row.
  std::vector<std::size_t> windows = {};  ///< Ascending.
  long least = 0, most = 0;  ///< Smallest and largest `rows` of them, without their sign.

  bool varies() const { return least != most; }
};
struct Findings {
  std::vector<Finding> all;              ///< By their first window.
  std::vector<std::size_t> unexplained;  ///< Windows that are wrong otherwise.
  long hop = 0;
  std::vector<std::size_t> breaks;  ///< As of Places.
};
/// What explains the fed windows by the stream of the reference's. Nothing where all are right.
Findings findings_of(const Windows& windows);

}  // namespace edgeprobe::diagnose::stream
