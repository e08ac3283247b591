// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "transport/connection.h"

namespace edgeprobe::transport {

/// A serial line: 8 bits, no parity, one stop bit, bytes as they are.
struct SerialLine {
  std::filesystem::path path;
  int baud = 115'200;
  bool flow_control = false;  ///< RTS and CTS.

  bool operator==(const SerialLine&) const = default;
};

/// The rates that a line may have, ascending.
const std::vector<int>& serial_rates();

/// That so many bytes take on the line, each with its start and its stop.
std::chrono::milliseconds time_on(const SerialLine& line, std::size_t bytes);

/// What was received before is thrown away. One program at a time: kTarget when another one has the
/// line, when there is none, and for a file that is no terminal. What the other side does not take
/// is thrown away in the end.
Result<std::unique_ptr<Connection>> open_serial(const SerialLine& line);

}  // namespace edgeprobe::transport
