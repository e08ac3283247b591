// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/result.h"
#include "transport/connection.h"
#include "transport/serial.h"

namespace edgeprobe::engine {

/// Opens a serial line to a server and waits for its answer to a PING: on a line, connections do
/// not begin or end by themselves. A PING also marks the end. kTarget if nothing answers.
Result<std::unique_ptr<transport::Connection>> line_to_server(const transport::SerialLine& line);

}  // namespace edgeprobe::engine
