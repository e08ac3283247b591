// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "edgeprobe_mcu.h"
#include "trace/receive/receive.h"

namespace edgeprobe::trace {

/// A microcontroller whose probe writes into `line`. Not movable: the probe keeps its address.
struct Device {
  edgeprobe_mcu probe{};
  edgeprobe_mcu_channel channels[4] = {};
  edgeprobe_mcu_options options{};
  Bytes line;
  std::uint64_t clock_ns = 0;  ///< Advances by a millisecond at each reading.
  /// Number of bytes that a write accepts; empty: all.
  std::function<std::size_t(std::size_t offset, std::size_t size)> room;

  Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  int open() { return edgeprobe_mcu_open(&probe, &options); }
};

/// int8, shape 1,5,100, three packets per message; and float32 with a scale for each of three
/// outputs.
extern const edgeprobe_mcu_tensor kInput, kScores;
/// The values of both tensors in frame `number`.
std::vector<std::int8_t> input_values(std::uint32_t number);
std::vector<std::int8_t> score_values(std::uint32_t number);
/// A frame for the tests: input, scores, the scalar "lux" = number / 2, the label number % 3.
int log_frame(Device& device, std::uint32_t number);

/// All results of feeding `line` in pieces of `piece` bytes.
struct Everything {
  Receiver receiver;
  Received received;
  Status status;
};
void receive(ByteView line, std::size_t piece, Everything& out);

/// "" if every received tensor equals the one that log_frame() sent in the frame of that number
/// (less `base`), or else the difference.
std::string wrong_value(const Everything& all, std::uint32_t base = 0);

}  // namespace edgeprobe::trace
