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

/// A socket that listens. A Unix socket's file goes with the object.
class Listener {
 public:
  /// kTarget with the system's words; a port in use names who may have it. A Unix socket that
  /// nobody listens on any more is replaced; any other file there is an error.
  static Result<Listener> open(const Address& address);
  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) noexcept = default;
  ~Listener();

  /// With the port that the system chose.
  const Address& address() const { return address_; }
  int descriptor() const { return socket_.get(); }
  /// The next connection; null when the wait ended or the peer was gone already.
  std::unique_ptr<Connection> accept(const Wait& wait);
  /// Its socket alone, negative instead of null, and its peer's name.
  std::pair<Descriptor, std::string> accept_socket(const Wait& wait);

 private:
  Listener(Descriptor socket, Address address);
  Descriptor socket_;
  Address address_;
};

}  // namespace edgeprobe::transport
