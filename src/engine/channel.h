#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "engine/shared_memory.h"
#include "engine/wire.h"

namespace edgeprobe::engine {

/// One message, and the descriptor that came with it.
struct Message {
  wire::Step step{};
  Bytes body;
  Descriptor descriptor;
};

/// Why a transfer did not happen.
enum class Broken { kNo, kClosed, kLate, kGarbled, kLong };

/// Messages over a connected socket, each wait bounded by a deadline.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  /// A second descriptor to watch while waiting; `drain` is called when it can be read and returns
  /// false when it is at its end.
  struct Watched {
    int fd = -1;
    std::function<bool()> drain;
  };

  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

  /// `descriptor` (-1: none) is duplicated to the other side.
  Broken send(wire::Step step, ByteView body, int descriptor, Clock::time_point deadline, Watched* watched = nullptr);
  /// A message of more than `longest` bytes is not read: the other side may claim anything.
  Broken receive(Message& message, Clock::time_point deadline, Watched* watched = nullptr, std::uint64_t longest = wire::kLongestMessage);
  int descriptor() const { return socket_.get(); }

 private:
  Broken wait(short events, Clock::time_point deadline, Watched* watched);
  Broken read(std::byte* to, std::size_t size, Descriptor* came, Clock::time_point deadline, Watched* watched);
  Descriptor socket_;
};

}  // namespace edgeprobe::engine
