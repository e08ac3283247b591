// SPDX-License-Identifier: Apache-2.0
#include "transport/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

#include "transport/socket_options.h"

namespace edgeprobe::transport {
namespace {

bool is_transient(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

/// Limit for one system call.
constexpr std::size_t kPieces = 16;
/// How often a blocking read checks its deadline and the stop flag.
constexpr std::chrono::milliseconds kLook{200};

bool ends_soon(const Wait& wait) {
  return wait.deadline != process::kForever && wait.deadline - process::Clock::now() < 2 * kLook;
}

class DescriptorConnection final : public Connection {
 public:
  DescriptorConnection(Descriptor from, Descriptor to, bool is_socket, std::string peer)
      : from_(std::move(from)), to_(std::move(to)), is_socket_(is_socket), peer_(std::move(peer)) {}

  Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) override {
    while (true) {
      // For a peer that answers soon, this is a single system call. It returns every kLook to check
      // `wait`.
      if (wait.stop && wait.stop->load(std::memory_order_relaxed)) return Transfer::kStopped;
      if (is_socket_) {
        const bool blocks = !ends_soon(wait);
        const ssize_t taken = ::recv(from_.get(), to, size, blocks ? 0 : MSG_DONTWAIT);
        if (taken > 0) return done(taken, got);
        if (taken == 0 || !is_transient(errno)) return Transfer::kClosed;
        if (blocks) continue;
        if (wait.deadline <= process::Clock::now()) return Transfer::kLate;
      }
      if (const Transfer ready = wait_readable(wait); ready != Transfer::kDone) return ready;
      if (is_socket_) continue;
      const ssize_t taken = ::read(from_.get(), to, size);
      if (taken > 0) return done(taken, got);
      if (taken == 0 || !is_transient(errno)) return Transfer::kClosed;
    }
  }

  Transfer wait_readable(const Wait& wait) override {
    if (is_socket_) return process::wait_for(from_.get(), POLLIN, wait);
    // Two separate pipes: while waiting for data, check whether the peer still reads.
    while (true) {
      if (is_shut_ || has_no_reader()) return Transfer::kClosed;
      Wait look = wait;
      look.deadline = std::min(wait.deadline, process::deadline_after(kLook));
      const Transfer ready = process::wait_for(from_.get(), POLLIN, look);
      if (ready != Transfer::kLate || look.deadline == wait.deadline) return ready;
    }
  }

  Transfer write(std::span<const ByteView> parts, const Wait& wait) override {
    std::size_t first = 0, offset = 0;
    const auto skip = [&](std::size_t size) {
      while (first < parts.size() && size >= parts[first].size - offset) {
        size -= parts[first].size - offset;
        ++first;
        offset = 0;
      }
      offset += size;
    };
    skip(0);
    while (first < parts.size()) {
      std::array<iovec, kPieces> pieces{};
      std::size_t count = 0;
      for (std::size_t i = first; i < parts.size() && count < kPieces; ++i) {
        const std::size_t from = i == first ? offset : 0;
        pieces.at(count++) = {const_cast<std::byte*>(parts[i].data) + from, parts[i].size - from};
      }
      const ssize_t put = put_some(pieces.data(), count);
      if (put >= 0) {
        skip(static_cast<std::size_t>(put));
        continue;
      }
      if (!is_transient(errno)) return Transfer::kClosed;
      if (const Transfer ready =
              process::wait_for(to_.get() >= 0 ? to_.get() : from_.get(), POLLOUT, wait);
          ready != Transfer::kDone)
        return ready;
    }
    return Transfer::kDone;
  }

  void shut() override {
    is_shut_ = true;
    if (is_socket_) ::shutdown(from_.get(), SHUT_RDWR);
  }
  /// Of two pipes, the one to the peer: data that it sent is still read after it stops sending.
  int other_end() const override { return is_socket_ ? from_.get() : to_.get(); }
  const std::string& peer() const override { return peer_; }

 private:
  /// For the pipe to the peer.
  bool has_no_reader() const {
    pollfd polled{to_.get(), 0, 0};
    return ::poll(&polled, 1, 0) > 0 && (polled.revents & (POLLERR | POLLNVAL)) != 0;
  }

  static Transfer done(ssize_t taken, std::size_t& got) {
    got = static_cast<std::size_t>(taken);
    return Transfer::kDone;
  }

  ssize_t put_some(iovec* pieces, std::size_t count) {
    if (!is_socket_) return ::writev(to_.get(), pieces, static_cast<int>(count));
    msghdr message{};
    message.msg_iov = pieces;
    message.msg_iovlen = count;
    // A dead peer must yield an error, not SIGPIPE.
    return ::sendmsg(from_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  Descriptor from_, to_;  ///< A socket uses only `from_`.
  bool is_socket_;
  std::atomic<bool> is_shut_{false};
  std::string peer_;
};

}  // namespace

void pass_over_unread(Connection& connection) {
  std::array<std::byte, 4096> unread{};
  std::size_t got = 0;
  const Wait now{process::Clock::now()};
  for (int i = 0; i < 256; ++i)
    if (connection.read(unread.data(), unread.size(), got, now) != Transfer::kDone) return;
}

std::unique_ptr<Connection> over_socket(Descriptor socket, std::string peer) {
  set_tcp_options(socket.get());
  timeval look{};
  look.tv_usec = std::chrono::microseconds(kLook).count();
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
  // dial() made it non-blocking.
  if (const int flags = ::fcntl(socket.get(), F_GETFL); flags >= 0)
    ::fcntl(socket.get(), F_SETFL, flags & ~O_NONBLOCK);
  return std::make_unique<DescriptorConnection>(std::move(socket), Descriptor(), true,
                                                std::move(peer));
}

std::unique_ptr<Connection> over_pipes(Descriptor from, Descriptor to, std::string peer) {
  // A write to a full pipe must not block beyond its deadline. Reads call poll() first.
  if (const int flags = ::fcntl(to.get(), F_GETFL); flags >= 0)
    ::fcntl(to.get(), F_SETFL, flags | O_NONBLOCK);
  return std::make_unique<DescriptorConnection>(std::move(from), std::move(to), false,
                                                std::move(peer));
}

}  // namespace edgeprobe::transport
