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
/// A confusion matrix of more classes is neither written nor read.
inline constexpr std::size_t kMostClasses = 2000;

/// Measurements in a text of this program or of Kenning; also what a server answers to STATS.
/// kCorrupt, with the key and the place, for what cannot be a measurement: lists of different
/// lengths, a negative time, a matrix that is not square. Keys that nothing here reads are kept.
Result<Measurements> from_json(std::string_view text);
/// The same of a file; the error names it.
Result<Measurements> read(const std::filesystem::path& path);

/// One object under Kenning's keys. What was not measured has no key there, since Kenning takes a
/// key for a measurement: it is null, with the reason, in "edgeprobe"/"not_measured".
std::string to_json(const Measurements& measurements, std::string_view version);

}  // namespace edgeprobe::measurements
