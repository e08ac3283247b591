// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "task/annotation.h"

namespace edgeprobe::dataset {

/// A NumPy archive of annotations: "samples", the names, and one of "labels" (n), "masks" (n, h,
/// w), "anomalies" (n), "identities" (n), "vectors" (n, d), "boxes" (m, 6: place in "samples", x0,
/// y0, x1, y1, class), "points" (n, k, 3: x, y, v); beside the last two "sizes" (n, 2: width,
/// height). kCorrupt names the array and the row.
Result<std::map<std::string, task::Annotation>> parse_arrays(ByteView npz);

}  // namespace edgeprobe::dataset
