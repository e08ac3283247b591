// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/read/reader.h"

namespace edgeprobe::cli {

/// "2026-11-29 12:14 UTC, 3 minutes ago" for a probe's `started` ("2026-11-29T12:14:05Z"). `now_ns`
/// is since 1970-01-01 UTC. Empty if `started` is malformed. A time after `now_ns` gets no age: the
/// device's clock was different.
std::string recorded_text(std::string_view started, std::uint64_t now_ns);
/// The same for a trace, relative to now; empty if it does not contain its time of recording.
std::string recorded_text(const trace::Reader& reader);

}  // namespace edgeprobe::cli
