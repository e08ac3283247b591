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

/// A serial line: 8 bits, no parity, one stop bit, raw bytes.
struct SerialLine {
  std::filesystem::path path;
  int baud = 115'200;
  bool flow_control = false;  ///< RTS and CTS.

  bool operator==(const SerialLine&) const = default;
};

/// The rates that a line may have, ascending.
const std::vector<int>& serial_rates();

/// Time for this many bytes on the line, each with its start and stop bit.
std::chrono::milliseconds time_on(const SerialLine& line, std::size_t bytes);

/// Discards data received earlier. Exclusive: kTarget if another program uses the line, if it does
/// not exist, or if the file is not a terminal. On closing, discards data that the other side does
/// not read.
Result<std::unique_ptr<Connection>> open_serial(const SerialLine& line);

}  // namespace edgeprobe::transport
