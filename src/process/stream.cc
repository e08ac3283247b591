// SPDX-License-Identifier: Apache-2.0
#include "process/stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace edgeprobe::process {
namespace {

/// The union's alignment leaves room for two descriptors, and the kernel fills it.
union Control {
  cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

/// Takes ownership of every descriptor attached to a message: the sender may attach more than one.
std::vector<Descriptor> attached_to(msghdr& message) {
  std::vector<Descriptor> all;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      all.emplace_back(fd);
    }
  }
  return all;
}

void attach(msghdr& message, Control& control, int descriptor) {
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  cmsghdr* const attached = CMSG_FIRSTHDR(&message);
  attached->cmsg_level = SOL_SOCKET;
  attached->cmsg_type = SCM_RIGHTS;
  attached->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(attached), &descriptor, sizeof(int));
}

}  // namespace

Transfer Stream::send(std::initializer_list<ByteView> parts, const Wait& wait, int descriptor) {
  std::array<iovec, 4> rest{};
  std::size_t first = 0, count = 0;
  for (const ByteView part : parts)
    if (!part.empty()) rest.at(count++) = {const_cast<std::byte*>(part.data), part.size};
  while (first < count) {
    if (const Transfer ready = wait_for(socket_.get(), POLLOUT, wait); ready != Transfer::kDone)
      return ready;
    msghdr message{};
    message.msg_iov = &rest[first];
    message.msg_iovlen = count - first;
    Control control{};
    if (descriptor >= 0) attach(message, control, descriptor);
    // MSG_NOSIGNAL: a dead peer must yield an error, not SIGPIPE.
    const ssize_t put = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (put < 0) return Transfer::kClosed;
    descriptor = -1;  // It was sent with the first bytes.
    for (auto left = static_cast<std::size_t>(put); left > 0;) {
      iovec& part = rest[first];
      const std::size_t taken = std::min(left, part.iov_len);
      part = {static_cast<std::byte*>(part.iov_base) + taken, part.iov_len - taken};
      left -= taken;
      if (part.iov_len == 0) ++first;
    }
  }
  return Transfer::kDone;
}

Transfer Stream::receive(std::byte* to, std::size_t size, const Wait& wait, Descriptor* came) {
  for (std::size_t done = 0; done < size;) {
    if (const Transfer ready = wait_for(socket_.get(), POLLIN, wait); ready != Transfer::kDone)
      return ready;
    iovec part{to + done, size - done};
    Control control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Transfer::kClosed;
    std::vector<Descriptor> attached = attached_to(message);
    if (came && attached.size() == 1) *came = std::move(attached.front());
    done += static_cast<std::size_t>(got);
  }
  return Transfer::kDone;
}

Transfer Stream::receive(Bytes& bytes, std::uint64_t size, const Wait& wait) {
  constexpr std::size_t kFirstPiece = std::size_t{1} << 20;
  bytes.clear();
  while (bytes.size() < size) {
    const std::size_t at = bytes.size();
    const std::size_t piece = std::min<std::uint64_t>(std::max(kFirstPiece, at), size - at);
    bytes.resize(at + piece);
    if (const Transfer done = receive(bytes.data() + at, piece, wait); done != Transfer::kDone)
      return done;
  }
  return Transfer::kDone;
}

}  // namespace edgeprobe::process
