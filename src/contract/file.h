// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "contract/contract.h"
#include "core/result.h"

namespace edgeprobe::contract {

/// Size limit of the file.
inline constexpr std::size_t kMostBytes = 8'000'000;

/// The file's text: JSON with sorted keys, one value per line, numbers with six digits. Includes
/// the final newline.
std::string to_json(const Contract& contract);

/// Inverse of to_json(). Fails with the place and the expected value: kCorrupt if it is not JSON,
/// kUnsupported for a newer version, kUsage for unknown keys, values of another type, reversed
/// bounds, or assertions that cannot be parsed.
Result<Contract> contract_from_json(std::string_view text);

}  // namespace edgeprobe::contract
