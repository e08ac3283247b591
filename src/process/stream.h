// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/bytes.h"
#include "core/descriptor.h"
#include "process/wait.h"

namespace edgeprobe::process {

/// A connected stream socket; every wait for the other side is bounded.
class Stream {
 public:
  Stream() = default;
  explicit Stream(Descriptor socket) : socket_(std::move(socket)) {}

  /// Sends at most 4 parts one after the other. `descriptor` (-1: none) is duplicated to the other
  /// side.
  Transfer send(std::initializer_list<ByteView> parts, const Wait& wait, int descriptor = -1);
  /// Fills `to`. `came` gets the descriptor that was attached; any others are closed.
  Transfer receive(std::byte* to, std::size_t size, const Wait& wait, Descriptor* came = nullptr);
  /// The same into `bytes`, which grows with what arrives: a length that is only claimed costs no
  /// memory.
  Transfer receive(Bytes& bytes, std::uint64_t size, const Wait& wait);

  int descriptor() const { return socket_.get(); }
  void close() { socket_.close(); }

 private:
  Descriptor socket_;
};

}  // namespace edgeprobe::process
