// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::protocol {

/// The payload of LOGS: one entry, or several for a text of more than 255 bytes. Non-ASCII bytes,
/// which clients cannot read, become '?'.
Bytes write_logs(std::string_view text);
/// The entries of a payload, made safe to print. Kenning writes 255 as the length of an entry of
/// 256 bytes; this is recognised for the last entry. A truncated entry ends with the payload.
std::vector<std::string> read_logs(ByteView payload);

}  // namespace edgeprobe::protocol
