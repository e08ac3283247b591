// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace edgeprobe::transport {

/// Sets TCP_NODELAY and keep-alive: a peer without power or address is detected within half a
/// minute, not after the kernel's two hours. No effect on a Unix socket.
inline void set_tcp_options(int socket) {
  constexpr int kOn = 1, kIdleSeconds = 10, kBetweenSeconds = 5, kProbes = 3, kUnsentMs = 25'000;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof kOn);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &kBetweenSeconds, sizeof kBetweenSeconds);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnsentMs, sizeof kUnsentMs);
}

}  // namespace edgeprobe::transport
