// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "core/result.h"
#include "transport/connection.h"
#include "transport/serial.h"

namespace edgeprobe::engine {

/// Silence on a line, within a message, that means lost bytes: the server's own.
inline constexpr std::chrono::seconds kLineSilence{5};

/// Whole seconds, rounded up, that the line needs for so many bytes.
std::chrono::seconds time_on(const transport::SerialLine& line, std::size_t bytes);

/// A serial line to a server that has answered a PING: there no connection begins or ends by
/// itself. Its end is a PING, too. kTarget when nothing answers.
Result<std::unique_ptr<transport::Connection>> line_to_server(const transport::SerialLine& line);

}  // namespace edgeprobe::engine
