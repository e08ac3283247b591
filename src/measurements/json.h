// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"
#include "measurements/measurements.h"

namespace edgeprobe::measurements {

inline constexpr std::size_t kLongestFile = 64'000'000;  ///< Bytes.
/// Larger confusion matrices are neither written nor read.
inline constexpr std::size_t kMostClasses = 2000;

/// Parses measurements written by this program or by Kenning; also a server's answer to STATS.
/// kCorrupt, with the key and the position, for impossible measurements: lists of different
/// lengths, a negative time, a matrix that is not square. Unknown keys are kept.
Result<Measurements> from_json(std::string_view text);
/// from_json() for a file; the error names the file.
Result<Measurements> read(const std::filesystem::path& path);

/// One object with Kenning's keys. Values that were not measured have no Kenning key, since Kenning
/// reads any key as a measurement: they are null, with the reason, in "edgeprobe"/"not_measured".
std::string to_json(const Measurements& measurements, std::string_view version);

}  // namespace edgeprobe::measurements
