// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace edgeprobe::stats {

/// Both ends of an interval, in the unit of what it bounds.
struct Interval {
  double low = 0, high = 0;
};

}  // namespace edgeprobe::stats
