// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// Why a file that starts like this is no MCAP file that can be read; nothing when it can.
std::optional<Error> refused_start(ByteView file, const std::string& label);

/// Why a file whose "edgeprobe.trace" metadata give this version cannot be read; nothing when it
/// can.
std::optional<Error> refused_version(const std::string& label, const std::string& version);

}  // namespace edgeprobe::trace
