// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/bytes.h"

namespace edgeprobe::report {

/// RFC 4648, padded.
std::string base64(ByteView bytes);

}  // namespace edgeprobe::report
