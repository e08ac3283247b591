// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "core/bytes.h"
#include "core/descriptor.h"
#include "process/wait.h"

/// Bytes between two machines: sockets, pipes, serial lines. Which messages they are is not known
/// here.
namespace edgeprobe::transport {

using process::Transfer;
using process::Wait;

/// Both directions of a connection. One thread may read while another writes.
class Connection {
 public:
  virtual ~Connection() = default;
  /// Fills at least one byte of `to` and at most `size`; `got` says how many. kDone alone sets it.
  virtual Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) = 0;
  /// Until read() would not wait: bytes are there, or the peer is gone.
  virtual Transfer wait_readable(const Wait& wait) = 0;
  /// All parts, one behind the other.
  virtual Transfer write(std::span<const ByteView> parts, const Wait& wait) = 0;
  /// Ends both directions: a thread that waits in read() comes back with kClosed.
  virtual void shut() = 0;
  /// The descriptor that shows process::Wait that the peer is gone, without a read; -1 for none.
  virtual int other_end() const { return -1; }
  /// "127.0.0.1:40112", "/run/edgeprobe.sock", "standard input"; for messages.
  virtual const std::string& peer() const = 0;
  /// Why a connection ended that did not just end, in a sentence: "the server refuses this
  /// client's certificate"; else "".
  virtual std::string problem() const { return ""; }
};

/// Reads what has come by now, a megabyte at most, and throws it away.
void pass_over_unread(Connection& connection);

/// A connected socket of any family. Takes TCP's delay off.
std::unique_ptr<Connection> over_socket(Descriptor socket, std::string peer);
/// Two pipes, or one terminal twice.
std::unique_ptr<Connection> over_pipes(Descriptor from, Descriptor to, std::string peer);

}  // namespace edgeprobe::transport
