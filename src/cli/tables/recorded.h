// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// "2026-11-29 12:14 UTC, 3 minutes ago" of a `started` ("2026-11-29T12:14:05Z") as probes declare
/// it. `now_ns` since 1970-01-01 UTC. Empty when `started` is another text. A time that lies ahead
/// of `now_ns` has no age: the clock of the device was another one.
std::string recorded_text(std::string_view started, std::uint64_t now_ns);
/// The same of a trace, now; empty when it does not say when it was recorded.
std::string recorded_text(const trace::Reader& reader);

}  // namespace edgeprobe::cli
