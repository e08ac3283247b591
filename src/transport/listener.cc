// SPDX-License-Identifier: Apache-2.0
#include "transport/listener.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "transport/socket_address.h"

namespace edgeprobe::transport {
namespace {

constexpr int kWaiting = 16;  ///< Connections that the system queues until they are accepted.

Error cannot_listen(const Address& address, int problem) {
  std::string what =
      "cannot listen on " + sanitized(to_string(address)) + ": " + std::strerror(problem);
  struct stat file {};
  if (problem == EADDRINUSE && !address.path.empty())
    what += ::lstat(address.path.c_str(), &file) == 0 && !S_ISSOCK(file.st_mode)
                ? "; this path is a file, not a socket: remove it or choose another path"
                : "; another server runs there, or choose another path";
  else if (problem == EADDRINUSE) what += "; another server runs there, or choose another port";
  return {ErrorKind::kTarget, std::move(what)};
}

/// Removes a socket without a listener, left over from a killed server.
void remove_stale(const sockaddr_un& socket) {
  struct stat file {};
  if (::lstat(socket.sun_path, &file) != 0 || !S_ISSOCK(file.st_mode)) return;
  // A blocking connect would hang on a server whose queue is full.
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&socket), sizeof socket) != 0 &&
      errno == ECONNREFUSED)
    ::unlink(socket.sun_path);
}

Result<Descriptor> listen_unix(const Address& address) {
  const sockaddr_un socket = unix_address(address);
  remove_stale(socket);
  Descriptor listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Only this user may connect.
  const mode_t before = ::umask(0177);
  const int bound =
      ::bind(listening.get(), reinterpret_cast<const sockaddr*>(&socket), sizeof socket);
  const int problem = errno;
  ::umask(before);
  if (bound != 0) return cannot_listen(address, problem);
  if (::listen(listening.get(), kWaiting) != 0) return cannot_listen(address, errno);
  return listening;
}

Result<Descriptor> listen_tcp(Address& address) {
  EP_TRY(auto list, look_up(address, AI_PASSIVE));
  int problem = EADDRNOTAVAIL;
  for (const addrinfo* one = list.get(); one; one = one->ai_next) {
    Descriptor listening(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, 0));
    const int on = 1;
    ::setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listening.get(), one->ai_addr, one->ai_addrlen) != 0 ||
        ::listen(listening.get(), kWaiting) != 0) {
      problem = errno;
      continue;
    }
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0)
      address.port =
          ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(bound).sin6_port
                                            : reinterpret_cast<const sockaddr_in&>(bound).sin_port);
    return listening;
  }
  return cannot_listen(address, problem);
}

}  // namespace

Listener::Listener(Descriptor socket, Address address)
    : socket_(std::move(socket)), address_(std::move(address)) {}

Listener::~Listener() {
  if (socket_.get() >= 0 && !address_.path.empty()) ::unlink(address_.path.c_str());
}

Result<Listener> Listener::open(const Address& address) {
  Address bound = address;
  EP_TRY(auto socket, address.path.empty() ? listen_tcp(bound) : listen_unix(address));
  return Listener(std::move(socket), std::move(bound));
}

std::pair<Descriptor, std::string> Listener::accept_socket(const Wait& wait) {
  if (process::wait_for(socket_.get(), POLLIN, wait) != Transfer::kDone) return {};
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  Descriptor socket(
      ::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC));
  if (socket.get() < 0) return {};
  return {std::move(socket), address_.path.empty() ? text_of(peer, size) : to_string(address_)};
}

std::unique_ptr<Connection> Listener::accept(const Wait& wait) {
  auto [socket, peer] = accept_socket(wait);
  if (socket.get() < 0) return nullptr;
  return over_socket(std::move(socket), std::move(peer));
}

}  // namespace edgeprobe::transport
