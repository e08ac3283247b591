// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <memory>
#include <string>

#include "core/result.h"
#include "core/text.h"
#include "transport/address.h"

/// Addresses in the system's form.
namespace edgeprobe::transport {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// The addresses of a host, in the system's order of preference. kNotFound with the system's
/// message.
inline Result<Addresses> look_up(const Address& address, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int problem =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &list);
  if (problem != 0)
    return Error{ErrorKind::kNotFound,
                 "host '" + sanitized(address.host) + "': " + ::gai_strerror(problem)};
  return Addresses(list);
}

/// The path fits: address_from_text() has checked it.
inline sockaddr_un unix_address(const Address& address) {
  sockaddr_un socket{};
  socket.sun_family = AF_UNIX;
  std::memcpy(socket.sun_path, address.path.c_str(), address.path.native().size());
  return socket;
}

/// "127.0.0.1:40112"; "" if unknown.
inline std::string text_of(const sockaddr_storage& socket, socklen_t size) {
  char host[NI_MAXHOST] = {}, port[NI_MAXSERV] = {};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&socket), size, host, sizeof host, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "";
  const std::string name = host;
  return (name.find(':') == std::string::npos ? name : "[" + name + "]") + ":" + port;
}

}  // namespace edgeprobe::transport
