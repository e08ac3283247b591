// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

/// Values that an app logged with its frames: columns with one value for each frame.
namespace edgeprobe::logged {

/// Maximum number of columns of one kind, numbers or texts.
inline constexpr std::size_t kMostColumns = 200;

/// Origin of a number; kFrame: the recording itself (latency, dropped frames).
enum class Source { kVariable, kSpan, kSensor, kFrame };
const char* name(Source source);  ///< "variable", "span", "sensor", "frame".

/// A number logged by the app, one value for each frame; NaN if there is none.
struct ScalarColumn {
  /// "lux", "accelerometer[2]", "|gyroscope|" (its length), "latency", "frames dropped before".
  std::string name;
  Source source = Source::kVariable;
  std::string unit;  ///< "" if unknown.
  std::vector<double> values;
};

/// A text logged by the app, one value for each frame; empty if there is none.
struct CategoryColumn {
  std::string name;  ///< "driver".
  std::vector<std::optional<std::string>> values;
};

/// Every scalar of `frames` (numbers, ascending) in the trace: variables of up to 16 values,
/// lengths of spans, sensors (the nearest moment, at most one or two of the sensor's periods away),
/// latency and dropped frames. At most 200; `warnings` reports those beyond.
Result<std::vector<ScalarColumn>> scalars_of(const trace::Reader& reader,
                                             const std::vector<std::uint32_t>& frames,
                                             std::vector<std::string>& warnings);

/// Every text variable of `frames` (numbers, ascending); "mark NAME": the newest mark of that name
/// at the frame's time, "(none yet)" before the first (except "trip", which a probe derives from
/// its findings); "level": the recording level, if it was lowered. At most 200, as above.
Result<std::vector<CategoryColumn>> categories_of(const trace::Reader& reader,
                                                  const std::vector<std::uint32_t>& frames,
                                                  std::vector<std::string>& warnings);

/// Columns with at least two distinct values.
std::vector<ScalarColumn> changing(std::vector<ScalarColumn> columns);
std::vector<CategoryColumn> changing(std::vector<CategoryColumn> columns);

}  // namespace edgeprobe::logged
