// SPDX-License-Identifier: Apache-2.0
#include "trace/record/descriptor_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "core/text.h"

namespace edgeprobe::trace {
namespace {

using Clock = std::chrono::steady_clock;

bool is_closed_by_peer(int code) { return code == EPIPE || code == ECONNRESET; }
bool is_full(int code) { return code == EAGAIN || code == EWOULDBLOCK; }

// Keeps SIGPIPE from this thread, since pipes have no MSG_NOSIGNAL. Consumes a signal that a write
// raises; one that was pending before stays pending.
class NoPipeSignal {
 public:
  bool is_raised = false;

  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;
  ~NoPipeSignal() {
    if (is_raised && !was_pending_) {
      const timespec at_once{};
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_ = false;
};

}  // namespace

DescriptorSink::DescriptorSink(Descriptor descriptor, const Options& options)
    : descriptor_(std::move(descriptor)), options_(options) {
  struct stat about {};
  if (::fstat(descriptor_.get(), &about) == 0)
    kind_ = S_ISSOCK(about.st_mode)   ? Kind::kSocket
            : S_ISFIFO(about.st_mode) ? Kind::kPipe
                                      : Kind::kOther;
  const int flags = ::fcntl(descriptor_.get(), F_GETFL);
  blocks_ = flags < 0 || !(flags & O_NONBLOCK);
}

Status DescriptorSink::failure(int code) {
  const std::string sent = " after " + bytes_text(static_cast<double>(size_)) + " of the trace";
  if (is_closed_by_peer(code))
    return status_ = Error{ErrorKind::kTarget, "the receiver of the trace has closed its end" +
                                                   sent + "; it has what was sent until then"};
  if (code == ETIMEDOUT)
    return status_ = Error{ErrorKind::kLimit,
                           "the receiver of the trace took nothing for " +
                               number(static_cast<double>(options_.longest_wait.count()) * 1e-3) +
                               " s" + sent + "; it has what was sent until then"};
  return status_ = Error{ErrorKind::kTarget,
                         std::string("cannot send") + sent + ": " + std::strerror(code)};
}

// A blocking pipe takes PIPE_BUF bytes without waiting once poll() reports it as writable; larger
// pieces could block forever.
ssize_t DescriptorSink::send_to_pipe(const std::vector<iovec>& parts, std::size_t first) const {
  if (!blocks_ || kind_ == Kind::kOther)
    return ::writev(descriptor_.get(), parts.data() + first,
                    static_cast<int>(std::min<std::size_t>(parts.size() - first, IOV_MAX)));
  pollfd ready{descriptor_.get(), POLLOUT, 0};
  if (::poll(&ready, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(descriptor_.get(), parts[first].iov_base,
                 std::min<std::size_t>(parts[first].iov_len, PIPE_BUF));
}

ssize_t DescriptorSink::send(const std::vector<iovec>& parts, std::size_t first) const {
  if (kind_ != Kind::kSocket) return send_to_pipe(parts, first);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data() + first);
  message.msg_iovlen = std::min<std::size_t>(parts.size() - first, IOV_MAX);
  return ::sendmsg(descriptor_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Waits until the peer reads, closes, or exceeds its time.
Status DescriptorSink::wait() {
  const auto deadline = Clock::now() + options_.longest_wait;
  for (;;) {
    // Rounded up, so that the wait is not shorter than the limit.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return failure(ETIMEDOUT);
    pollfd ready{descriptor_.get(), POLLOUT, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min<long long>(left, INT_MAX)));
    if (found > 0) return {};
    if (found < 0 && errno != EINTR) return failure(errno);
  }
}

Status DescriptorSink::append(const std::vector<ByteView>& parts, const Shorten&) {
  if (!status_) return status_;
  std::vector<iovec> left;
  for (const ByteView part : parts)
    if (!part.empty()) left.push_back({const_cast<std::byte*>(part.data), part.size});
  std::optional<NoPipeSignal> guard;
  if (kind_ != Kind::kSocket) guard.emplace();
  for (std::size_t next = 0; next < left.size();) {
    const ssize_t sent = send(left, next);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && is_full(errno)) {
      EP_CHECK(wait());
      continue;
    }
    if (sent <= 0) {
      const int code = sent < 0 ? errno : EIO;
      if (guard) guard->is_raised = code == EPIPE;
      return failure(code);
    }
    size_ += static_cast<std::uint64_t>(sent);
    std::size_t gone = static_cast<std::size_t>(sent);
    while (next < left.size() && gone >= left[next].iov_len) gone -= left[next++].iov_len;
    if (gone) {
      left[next].iov_base = static_cast<char*>(left[next].iov_base) + gone;
      left[next].iov_len -= gone;
    }
  }
  return {};
}

Status DescriptorSink::end(End) {
  descriptor_.close();
  return status_;
}

}  // namespace edgeprobe::trace
