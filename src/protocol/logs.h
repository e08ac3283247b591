// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace edgeprobe::protocol {

/// The payload of LOGS: one entry, or several for a text of more than 255 bytes. Bytes outside
/// ASCII, which clients cannot read, become '?'.
Bytes write_logs(std::string_view text);
/// The entries of a payload, made safe to print. Kenning writes 255 as the length of an entry of
/// 256 bytes; such a last entry is whole. An entry that is cut off ends at the payload's end.
std::vector<std::string> read_logs(ByteView payload);

}  // namespace edgeprobe::protocol
