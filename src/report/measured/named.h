// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "measurements/measurements.h"

namespace edgeprobe::report {

struct NamedMeasurements {
  std::string name;  ///< Name in tables and charts; untrusted.
  measurements::Measurements of;
};

}  // namespace edgeprobe::report
