// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace edgeprobe::transport {

/// The address of a server: a port of a host, or a socket in the file system.
struct Address {
  std::string host;  ///< A name, IPv4, or IPv6 without brackets.
  std::uint16_t port = 0;
  std::filesystem::path path;  ///< Not empty: a Unix socket.

  bool operator==(const Address&) const = default;
};

/// "127.0.0.1:12345", "[::1]:12345", "localhost:0" (0: any free port), "unix:/PATH". kUsage names
/// what is wrong.
Result<Address> address_from_text(std::string_view text);
std::string to_string(const Address& address);
/// True if only this machine can reach it: a Unix socket, 127.0.0.0/8, ::1, localhost.
bool is_loopback(const Address& address);

}  // namespace edgeprobe::transport
