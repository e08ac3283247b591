// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "diagnose/input/parts/place.h"
#include "diagnose/verdict/evidence.h"

namespace edgeprobe::diagnose {

/// Location of a difference without a named cause.
struct PlacedDifference {
  Evidence evidence;     ///< Of kind kDifferencePlace.
  std::string sentence;  ///< A clause: "all of the difference is in rows 48 to 63 of 64, …".
};
PlacedDifference describe_place(const RecordedPictures& recorded, const Unequal& unequal);

}  // namespace edgeprobe::diagnose
