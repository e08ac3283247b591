// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "trace/read/reader.h"

/// What an app logged beside its frames: columns with one value a frame.
namespace edgeprobe::logged {

/// Columns of one kind, numbers or texts, that are looked at.
inline constexpr std::size_t kMostColumns = 200;

/// Where a number comes from; kFrame: the recording itself (latency, dropped frames).
enum class Source { kVariable, kSpan, kSensor, kFrame };
const char* name(Source source);  ///< "variable", "span", "sensor", "frame".

/// A number that the app logged beside its frames, one value a frame; NaN where there is none.
struct ScalarColumn {
  /// "lux", "accelerometer[2]", "|gyroscope|" (its length), "latency", "frames dropped before".
  std::string name;
  Source source = Source::kVariable;
  std::string unit;  ///< "" when it is not known.
  std::vector<double> values;
};

/// A text that the app logged beside its frames, one value a frame; nothing where there is none.
struct CategoryColumn {
  std::string name;  ///< "driver".
  std::vector<std::optional<std::string>> values;
};

/// Every scalar of `frames` (numbers, ascending) in the trace: variables of up to 16 values,
/// lengths of spans, sensors (the moment nearest in time, at most a second or two of the sensor's
/// own periods away), latency and dropped frames. At most 200; what is left out beyond is said in
/// `warnings`.
Result<std::vector<ScalarColumn>> scalars_of(const trace::Reader& reader,
                                             const std::vector<std::uint32_t>& frames,
                                             std::vector<std::string>& warnings);

/// Every text variable of `frames` (numbers, ascending); "mark NAME": the newest mark of that name
/// at the time of the frame, "(none yet)" before the first (not "trip", which a probe makes of what
/// it finds); "level": of recording, where it stepped down. At most 200, as above.
Result<std::vector<CategoryColumn>> categories_of(const trace::Reader& reader,
                                                  const std::vector<std::uint32_t>& frames,
                                                  std::vector<std::string>& warnings);

/// Those that have two values or more.
std::vector<ScalarColumn> changing(std::vector<ScalarColumn> columns);
std::vector<CategoryColumn> changing(std::vector<CategoryColumn> columns);

}  // namespace edgeprobe::logged
