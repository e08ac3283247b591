// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/wire.h"
#include "process/stream.h"

namespace edgeprobe::engine {

/// One message and the descriptor sent with it.
struct Message {
  wire::Step step{};
  Bytes body;
  Descriptor descriptor;
};

/// Why a transfer failed; kStopped: it is no longer needed.
enum class Broken { kNo, kClosed, kLate, kGarbled, kLong, kStopped };

/// Messages between an engine process and its parent.
class Channel {
 public:
  explicit Channel(Descriptor socket) : stream_(std::move(socket)) {}

  /// `descriptor` (-1: none) is duplicated to the other side.
  Broken send(wire::Step step, ByteView body, int descriptor, const process::Wait& wait);
  /// A message longer than `longest` bytes is not read: the other side may claim any size.
  Broken receive(Message& message, const process::Wait& wait,
                 std::uint64_t longest = wire::kLongestMessage);

 private:
  process::Stream stream_;
};

}  // namespace edgeprobe::engine
