// SPDX-License-Identifier: Apache-2.0
#include "process/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace edgeprobe::process {

Output::Output(Descriptor from, std::size_t most) : from_(std::move(from)), most_(most) {
  ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
}

void Output::drain() {
  char buffer[65536];
  const ssize_t got = ::read(from_.get(), buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return from_.close();
  text_.append(buffer, static_cast<std::size_t>(got));
  if (text_.size() > most_) text_.erase(0, text_.size() - most_ / 2);
}

void Output::drain_rest(std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (from_.get() >= 0 && std::chrono::steady_clock::now() < deadline) {
    pollfd polled{from_.get(), POLLIN, 0};
    if (::poll(&polled, 1, 0) <= 0) return;
    drain();
  }
}

}  // namespace edgeprobe::process
