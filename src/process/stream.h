// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/bytes.h"
#include "core/descriptor.h"
#include "process/wait.h"

namespace edgeprobe::process {

/// A connected stream socket; every wait for the other side has a time limit.
class Stream {
 public:
  Stream() = default;
  explicit Stream(Descriptor socket) : socket_(std::move(socket)) {}

  /// Sends at most 4 parts in order. `descriptor` (-1: none) is duplicated for the other side.
  Transfer send(std::initializer_list<ByteView> parts, const Wait& wait, int descriptor = -1);
  /// Fills `to`. `came` receives the attached descriptor; any others are closed.
  Transfer receive(std::byte* to, std::size_t size, const Wait& wait, Descriptor* came = nullptr);
  /// Same, into `bytes`, which grows as data arrives: a length that is only claimed costs no
  /// memory.
  Transfer receive(Bytes& bytes, std::uint64_t size, const Wait& wait);

  int descriptor() const { return socket_.get(); }
  void close() { socket_.close(); }

 private:
  Descriptor socket_;
};

}  // namespace edgeprobe::process
