// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.h"
#include "diagnose/categories.h"
#include "diagnose/detector.h"

namespace edgeprobe::diagnose {

/// A number that the app logged beside its frames, one value a frame; NaN where there is none.
struct ScalarColumn {
  /// "lux", "accelerometer[2]", "|gyroscope|" (its length), "latency", "frames dropped before".
  std::string name;
  ScalarKind kind = ScalarKind::kVariable;
  std::string unit;  ///< "" when it is not known.
  std::vector<double> values;
};

/// Every scalar of `frames` (numbers, ascending) in the trace: variables of up to 16 values,
/// lengths of spans, sensors (the moment nearest in time, at most a second or two of the sensor's
/// own periods away), latency and dropped frames. Those that never change are left out. At most
/// 200; what is left out beyond is said in `warnings`.
Result<std::vector<ScalarColumn>> logged_scalars(const trace::Reader& reader,
                                                 const std::vector<std::uint32_t>& frames,
                                                 std::vector<std::string>& warnings);

/// Tests each column between the frames that fail and the others; both in the order of the frames.
ScalarStudy test_scalars(const std::vector<ScalarColumn>& columns, const std::vector<bool>& fails,
                         std::string failing, const std::vector<CategoryColumn>& categories = {});

/// The frames that fail and what goes with them; nothing when the app logged no scalar.
Result<Findings> find_scalars(const Examination& examined, const Control& control);

}  // namespace edgeprobe::diagnose
