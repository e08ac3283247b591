// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/descriptor.h"
#include "core/result.h"
#include "transport/address.h"
#include "transport/connection.h"

namespace edgeprobe::transport {

/// A listening socket. A Unix socket's file is removed with the object.
class Listener {
 public:
  /// kTarget with the system's message; for a port in use, it names programs that may hold it. A
  /// Unix socket without a listener is replaced; any other file there is an error.
  static Result<Listener> open(const Address& address);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) noexcept = default;
  ~Listener();

  /// Contains the port that the system chose.
  const Address& address() const { return address_; }
  int descriptor() const { return socket_.get(); }
  /// Accepts the next connection; null if the wait ended or the peer was already gone.
  std::unique_ptr<Connection> accept(const Wait& wait);
  /// Only its socket (negative instead of null), and its peer's name.
  std::pair<Descriptor, std::string> accept_socket(const Wait& wait);

 private:
  Listener(Descriptor socket, Address address);
  Descriptor socket_;
  Address address_;
};

}  // namespace edgeprobe::transport
