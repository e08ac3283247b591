// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/wire.h"
#include "process/stream.h"

namespace edgeprobe::engine {

/// One message, and the descriptor that came with it.
struct Message {
  wire::Step step{};
  Bytes body;
  Descriptor descriptor;
};

/// Why a transfer did not happen; kStopped: it is not wanted any more.
enum class Broken { kNo, kClosed, kLate, kGarbled, kLong, kStopped };

/// Messages between an engine process and its parent.
class Channel {
 public:
  explicit Channel(Descriptor socket) : stream_(std::move(socket)) {}

  /// `descriptor` (-1: none) is duplicated to the other side.
  Broken send(wire::Step step, ByteView body, int descriptor, const process::Wait& wait);
  /// A message of more than `longest` bytes is not read: the other side may claim anything.
  Broken receive(Message& message, const process::Wait& wait,
                 std::uint64_t longest = wire::kLongestMessage);

 private:
  process::Stream stream_;
};

}  // namespace edgeprobe::engine
