// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/bytes.h"
#include "core/descriptor.h"
#include "process/wait.h"

/// Bytes between two machines: sockets, pipes, serial lines. This layer knows no message formats.
namespace edgeprobe::transport {

using process::Transfer;
using process::Wait;

/// Both directions of a connection. One thread may read while another writes.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Reads between one and `size` bytes into `to`; sets `got` to the number, only for kDone.
  virtual Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) = 0;
  /// Waits until read() would not block: bytes are available, or the peer is gone.
  virtual Transfer wait_readable(const Wait& wait) = 0;
  /// Writes all parts in order.
  virtual Transfer write(std::span<const ByteView> parts, const Wait& wait) = 0;
  /// Closes both directions: a thread that waits in read() returns with kClosed.
  virtual void shut() = 0;
  /// A descriptor with which process::Wait detects a gone peer without reading; -1 for none.
  virtual int other_end() const { return -1; }
  /// "127.0.0.1:40112", "/run/edgeprobe.sock", "standard input"; for messages.
  virtual const std::string& peer() const = 0;
  /// Why a connection ended abnormally, in a sentence: "the server refuses this client's
  /// certificate"; "" for a normal end.
  virtual std::string problem() const { return ""; }
};

/// Reads and discards what has arrived so far, up to a megabyte.
void pass_over_unread(Connection& connection);

/// A connected socket of any family. Sets TCP_NODELAY.
std::unique_ptr<Connection> over_socket(Descriptor socket, std::string peer);
/// Two pipes, or one terminal for both directions.
std::unique_ptr<Connection> over_pipes(Descriptor from, Descriptor to, std::string peer);

}  // namespace edgeprobe::transport
