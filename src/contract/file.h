// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "contract/contract.h"
#include "core/result.h"

namespace edgeprobe::contract {

/// Largest file that is read.
inline constexpr std::size_t kMostBytes = 8'000'000;

/// The file's text: JSON with sorted keys, one value a line, numbers of six digits. Ends with a
/// newline.
std::string to_json(const Contract& contract);

/// The inverse. Fails with the place and what was expected: kCorrupt where it is no JSON,
/// kUnsupported for a newer version, kUsage for keys that no contract has, values of another type,
/// bounds whose ends are exchanged, assertions that cannot be parsed.
Result<Contract> contract_from_json(std::string_view text);

}  // namespace edgeprobe::contract
