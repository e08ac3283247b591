// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/bytes.h"
#include "core/result.h"

namespace edgeprobe::trace {

/// Why a file with this beginning is not a readable MCAP file; nothing if it is.
std::optional<Error> refused_start(ByteView file, const std::string& label);

/// Why a file cannot be read whose "edgeprobe.trace" metadata contain this version; nothing if it
/// can.
std::optional<Error> refused_version(const std::string& label, const std::string& version);

}  // namespace edgeprobe::trace
