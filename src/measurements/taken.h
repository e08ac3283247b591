// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "measurements/measurements.h"

/// Takes values out of a JSON object by key; keys that remain at the end are unknown. Errors name
/// the key and the position in its list.
namespace edgeprobe::measurements {

using Json = nlohmann::json;  ///< Finds a key in O(log n): a file may have millions.

inline constexpr double kMostPercent = 100.5;  ///< Tolerance for the kernel's rounded counters.
inline constexpr double kMost = 1e12;          ///< Seconds or frames: far beyond real measurements.

Error wrong(const std::string& key, const std::string& what);
std::string shown(const Json& value);  ///< At most 40 bytes.
std::string place(std::size_t index);  ///< "[3]".

std::optional<Json> take(Json& object, const std::string& key);
/// Numbers from 0 to `most` in a list; `where` is its position in the value of the key.
Result<std::vector<double>> numbers_from(const std::string& key, const Json& list, double most,
                                         const std::string& where = "");
/// Leaves `values` unchanged if the key is missing.
Status take_numbers(Json& object, const std::string& key, double most, std::vector<double>& values);
Result<std::string> take_text(Json& object, const char* key);  ///< "" without the key.
Result<std::vector<std::string>> take_texts(Json& object, const char* key);
Result<std::optional<double>> take_count(Json& object, const std::string& key);
Status same_length(const std::string& key, std::size_t count, const std::string& other,
                   std::size_t others);

/// Class names, the confusion matrix, detections, figures of user metrics.
Status take_quality(Json& object, Measurements& out);

}  // namespace edgeprobe::measurements
