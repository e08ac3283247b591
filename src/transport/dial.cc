// SPDX-License-Identifier: Apache-2.0
#include "transport/dial.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/socket_address.h"

namespace edgeprobe::transport {
namespace {

Error cannot_reach(const Address& address, const std::string& why) {
  return {ErrorKind::kTarget, "cannot reach " + sanitized(to_string(address)) + ": " + why};
}

std::string words_of(int problem, std::string_view server) {
  if (problem == ECONNREFUSED || problem == ENOENT)
    return "no server listens there; start " + std::string(server) + " on the device";
  return std::strerror(problem);
}

/// 0, or the system's error number.
int connect_to(int socket, const sockaddr* address, socklen_t size, const Wait& wait) {
  if (::connect(socket, address, size) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  switch (process::wait_for(socket, POLLOUT, wait)) {
    case Transfer::kLate: return ETIMEDOUT;
    case Transfer::kStopped: return ECANCELED;
    default: break;
  }
  int problem = 0;
  socklen_t length = sizeof problem;
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &length) != 0) return errno;
  return problem;
}

}  // namespace

Result<Descriptor> dial_socket(const Address& address, const Wait& wait, std::string_view server) {
  constexpr int kKind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  if (!address.path.empty()) {
    const sockaddr_un to = unix_address(address);
    Descriptor socket(::socket(AF_UNIX, kKind, 0));
    const int problem =
        connect_to(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to, wait);
    if (problem != 0) return cannot_reach(address, words_of(problem, server));
    return socket;
  }
  EP_TRY(auto list, look_up(address, 0));
  int problem = EADDRNOTAVAIL;
  for (const addrinfo* one = list.get(); one; one = one->ai_next) {
    Descriptor socket(::socket(one->ai_family, kKind, 0));
    problem = connect_to(socket.get(), one->ai_addr, one->ai_addrlen, wait);
    if (problem == ECANCELED) return Error{ErrorKind::kInterrupted, "stopped by the user"};
    if (problem == 0) return socket;
  }
  return cannot_reach(address, words_of(problem, server));
}

Result<std::unique_ptr<Connection>> dial(const Address& address, const Wait& wait,
                                         std::string_view server) {
  EP_TRY(auto socket, dial_socket(address, wait, server));
  return over_socket(std::move(socket), to_string(address));
}

}  // namespace edgeprobe::transport
