#include "engine/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace edgeprobe::engine {
namespace {

int milliseconds_until(Channel::Clock::time_point deadline) {
  if (deadline == Channel::Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Channel::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

/// By its alignment there is room for two descriptors, and the kernel fills it.
union Control {
  cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

/// Every descriptor that came with a message, so that each is owned: whoever sends may attach more than one.
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

}  // namespace

Broken Channel::wait(short events, Clock::time_point deadline, Watched* watched) {
  while (true) {
    pollfd polled[2] = {{socket_.get(), events, 0}, {watched ? watched->fd : -1, POLLIN, 0}};
    const int timeout = milliseconds_until(deadline);
    const int ready = ::poll(polled, 2, timeout);
    if (ready < 0 && errno != EINTR) return Broken::kClosed;
    if (ready > 0 && polled[1].revents && !watched->drain()) watched->fd = -1;
    if (ready > 0 && polled[0].revents) return Broken::kNo;
    if (timeout == 0) return Broken::kLate;
  }
}

Broken Channel::send(wire::Step step, ByteView body, int descriptor, Clock::time_point deadline, Watched* watched) {
  wire::Header header;
  header.step = step;
  header.length = body.size;
  const std::size_t total = sizeof header + body.size;
  for (std::size_t done = 0; done < total;) {
    if (const Broken broken = wait(POLLOUT, deadline, watched); broken != Broken::kNo) return broken;
    iovec parts[2] = {{&header, sizeof header}, {const_cast<std::byte*>(body.data), body.size}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    if (done >= sizeof header) {
      parts[0] = {const_cast<std::byte*>(body.data) + (done - sizeof header), total - done};
      message.msg_iovlen = 1;
    } else {
      parts[0] = {reinterpret_cast<char*>(&header) + done, sizeof header - done};
    }
    Control control{};
    if (descriptor >= 0 && done == 0) {
      message.msg_control = &control;
      message.msg_controllen = sizeof control;
      cmsghdr* const attached = CMSG_FIRSTHDR(&message);
      attached->cmsg_level = SOL_SOCKET;
      attached->cmsg_type = SCM_RIGHTS;
      attached->cmsg_len = CMSG_LEN(sizeof(int));
      std::memcpy(CMSG_DATA(attached), &descriptor, sizeof(int));
    }
    // MSG_NOSIGNAL: a dead peer is an answer here, not a reason to die of SIGPIPE.
    const ssize_t put = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (put < 0) return Broken::kClosed;
    done += static_cast<std::size_t>(put);
  }
  return Broken::kNo;
}

Broken Channel::read(std::byte* to, std::size_t size, Descriptor* came, Clock::time_point deadline, Watched* watched) {
  for (std::size_t done = 0; done < size;) {
    if (const Broken broken = wait(POLLIN, deadline, watched); broken != Broken::kNo) return broken;
    iovec part{to + done, size - done};
    Control control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Broken::kClosed;
    std::vector<Descriptor> attached = attached_to(message);
    if (came && attached.size() == 1) *came = std::move(attached.front());
    done += static_cast<std::size_t>(got);
  }
  return Broken::kNo;
}

Broken Channel::receive(Message& message, Clock::time_point deadline, Watched* watched, std::uint64_t longest) {
  wire::Header header;
  const wire::Header expected;
  message = {};
  if (const Broken broken =
          read(reinterpret_cast<std::byte*>(&header), sizeof header, &message.descriptor, deadline, watched);
      broken != Broken::kNo)
    return broken;
  if (header.magic != expected.magic) return Broken::kGarbled;
  if (header.length > longest) return Broken::kLong;
  message.step = header.step;
  // Grown as the bytes come, so that a wild length cannot claim memory.
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  while (message.body.size() < header.length) {
    const std::size_t at = message.body.size();
    const std::size_t piece = std::min<std::size_t>(kPiece, header.length - at);
    message.body.resize(at + piece);
    if (const Broken broken = read(message.body.data() + at, piece, nullptr, deadline, watched); broken != Broken::kNo)
      return broken;
  }
  return Broken::kNo;
}

}  // namespace edgeprobe::engine
