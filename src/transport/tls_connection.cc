// SPDX-License-Identifier: Apache-2.0
#include "transport/tls_connection.h"

#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "transport/socket_options.h"

namespace edgeprobe::transport {
namespace {

/// Bytes encrypted and sent in one turn.
constexpr std::size_t kTurn = std::size_t{128} << 10;
/// Bounds memory if a peer reads nothing: OpenSSL waits at this size.
constexpr std::size_t kMostUnsent = std::size_t{1} << 20;
/// How often a thread rechecks a condition that the other thread may have resolved.
constexpr std::chrono::milliseconds kCrossLook{100};

bool is_passing(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

TlsConnection::TlsConnection(Descriptor socket, std::string peer, const TlsContext& context)
    : socket_(std::move(socket)),
      peer_(std::move(peer)),
      context_(context),
      ssl_(SSL_new(context.get()), SSL_free) {
  set_tcp_options(socket_.get());
  BIO* const wire = ssl_ ? BIO_new(wire_method()) : nullptr;
  if (!wire) {
    ssl_.reset();
    return;
  }
  BIO_set_data(wire, this);
  BIO_set_init(wire, 1);
  SSL_set_bio(ssl(), wire, wire);
}

TlsConnection::~TlsConnection() { end(); }

Transfer TlsConnection::handshake(const Wait& wait) {
  while (true) {
    ERR_clear_error();
    const Need need = need_after(SSL_do_handshake(ssl()));
    if (!send_unsent() || need == Need::kEnd) return Transfer::kClosed;
    if (need == Need::kNothing && unsent_.empty()) return Transfer::kDone;
    // A client that sends occasional bytes gets no more time than a silent one.
    if (process::Clock::now() > wait.deadline) return Transfer::kLate;
    const short events = unsent_.empty() ? POLLIN : POLLOUT;
    if (const Transfer ready = process::wait_for(this->socket(), events, wait);
        ready != Transfer::kDone)
      return ready;
  }
}

Transfer TlsConnection::read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) {
  while (true) {
    if (wait.stop && wait.stop->load(std::memory_order_relaxed)) return Transfer::kStopped;
    std::size_t taken = 0;
    Need need = Need::kNothing;
    bool more = true;
    while (need == Need::kNothing && more && taken < size) {
      // The other thread may write between two records.
      const std::lock_guard lock(using_);
      std::size_t some = 0;
      ERR_clear_error();
      need = need_after(SSL_read_ex(ssl(), to + taken, size - taken, &some));
      send_unsent();  // The reply to an update of keys.
      taken += some;
      more = SSL_has_pending(ssl()) != 0;
    }
    if (taken > 0) {
      got = taken;
      return Transfer::kDone;
    }
    if (const Transfer ready = wait_for(need, POLLIN, wait); ready != Transfer::kDone) return ready;
  }
}

Transfer TlsConnection::wait_readable(const Wait& wait) {
  while (true) {
    Need need = Need::kNothing;
    {
      const std::lock_guard lock(using_);
      std::byte one{};
      std::size_t some = 0;
      ERR_clear_error();
      need = need_after(SSL_peek_ex(ssl(), &one, 1, &some));
      send_unsent();
    }
    // The end of the connection is nothing that read() waits for.
    if (need == Need::kNothing || need == Need::kEnd) return Transfer::kDone;
    if (const Transfer ready = wait_for(need, POLLIN, wait); ready != Transfer::kDone) return ready;
  }
}

Transfer TlsConnection::write(std::span<const ByteView> parts, const Wait& wait) {
  Gather<kRecord> rest(parts);
  while (true) {
    Need need = Need::kNothing;
    {
      const std::lock_guard lock(using_);
      need = encrypt_and_send(rest);
    }
    if (need == Need::kNothing && rest.is_empty()) return Transfer::kDone;
    if (need == Need::kNothing) continue;
    if (const Transfer ready = wait_for(need, POLLOUT, wait); ready != Transfer::kDone)
      return ready;
  }
}

std::string TlsConnection::problem() const {
  const std::lock_guard lock(using_);
  return problem_;
}

TlsConnection::Need TlsConnection::need_after(int result) {
  switch (SSL_get_error(ssl(), result)) {
    case SSL_ERROR_NONE: return Need::kNothing;
    case SSL_ERROR_WANT_READ: return Need::kBytes;
    case SSL_ERROR_WANT_WRITE: return Need::kRoom;
    case SSL_ERROR_ZERO_RETURN: return Need::kEnd;
    default: break;
  }
  if (ended_) return Need::kEnd;
  problem_ = tls_problem(ssl());
  // OpenSSL sends no alert to a client of another protocol.
  if (SSL_is_server(ssl()) && !SSL_is_init_finished(ssl()) && speaks_no_tls()) {
    const ByteView refusal = tls_refusal();
    unsent_.insert(unsent_.end(), refusal.begin(), refusal.end());
  }
  ended_ = true;  // After an error, TLS forbids even a close notification.
  return Need::kEnd;
}

TlsConnection::Need TlsConnection::encrypt_and_send(Gather<kRecord>& rest) {
  if (!send_unsent()) return Need::kEnd;
  for (std::size_t done = 0; !rest.is_empty() && done < kTurn && unsent_.empty();) {
    const ByteView next = rest.front();
    std::size_t put = 0;
    more_follows_ = rest.left() > kRecord;
    ERR_clear_error();
    const Need need = need_after(SSL_write_ex(ssl(), next.data, next.size, &put));
    more_follows_ = false;
    if (need != Need::kNothing) return need;
    rest.take(put);
    done += put;
  }
  if (is_gone_) return Need::kEnd;
  return unsent_.empty() ? Need::kNothing : Need::kRoom;
}

std::size_t TlsConnection::put_some(ByteView bytes) {
  // A dead peer must yield an error, not SIGPIPE.
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (more_follows_ ? MSG_MORE : 0);
  while (!is_gone_) {
    const ssize_t put = ::send(socket(), bytes.data, bytes.size, flags);
    if (put >= 0) return static_cast<std::size_t>(put);
    if (errno == EINTR) continue;
    is_gone_ = !is_passing(errno);
    break;
  }
  return 0;
}

bool TlsConnection::send_unsent() {
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const std::size_t put = put_some(ByteView(unsent_).sub(sent, unsent_.size() - sent));
    if (put == 0) break;
    sent += put;
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(sent));
  return !is_gone_;
}

Transfer TlsConnection::wait_for(Need need, short usual, const Wait& wait) const {
  if (need == Need::kEnd) return Transfer::kClosed;
  const short events = need == Need::kRoom ? POLLOUT : POLLIN;
  if (events == usual) return process::wait_for(socket(), events, wait);
  // Rare, and the thread of the other direction may have resolved it.
  Wait soon = wait;
  soon.deadline = std::min(wait.deadline, process::deadline_after(kCrossLook));
  const Transfer ready = process::wait_for(socket(), events, soon);
  return ready == Transfer::kLate && soon.deadline != wait.deadline ? Transfer::kDone : ready;
}

void TlsConnection::end() {
  const std::lock_guard lock(using_);
  if (ssl_ && !ended_ && SSL_is_init_finished(ssl())) {
    ERR_clear_error();
    SSL_shutdown(ssl());
    send_unsent();
  }
  ended_ = true;
  if (socket() >= 0) ::shutdown(socket(), SHUT_RDWR);
}

const BIO_METHOD* TlsConnection::wire_method() {
  static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> method(
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "edgeprobe socket"), BIO_meth_free);
  static const bool set = method && BIO_meth_set_read_ex(method.get(), wire_read) == 1 &&
                          BIO_meth_set_write_ex(method.get(), wire_write) == 1 &&
                          BIO_meth_set_ctrl(method.get(), wire_control) == 1;
  return set ? method.get() : nullptr;
}

int TlsConnection::wire_read(BIO* wire, char* to, std::size_t size, std::size_t* got) {
  const auto& self = *static_cast<const TlsConnection*>(BIO_get_data(wire));
  BIO_clear_retry_flags(wire);
  const ssize_t taken = ::recv(self.socket(), to, size, MSG_DONTWAIT);
  *got = taken > 0 ? static_cast<std::size_t>(taken) : 0;
  if (taken > 0) return 1;
  if (taken == 0) BIO_set_flags(wire, BIO_FLAGS_IN_EOF);
  else if (is_passing(errno)) BIO_set_retry_read(wire);
  return taken == 0 ? 0 : -1;
}

int TlsConnection::wire_write(BIO* wire, const char* from, std::size_t size, std::size_t* put) {
  auto& self = *static_cast<TlsConnection*>(BIO_get_data(wire));
  BIO_clear_retry_flags(wire);
  *put = 0;
  if (self.unsent_.size() > kMostUnsent) {
    BIO_set_retry_write(wire);
    return -1;
  }
  const ByteView bytes = view_of({from, size});
  const std::size_t sent = self.unsent_.empty() ? self.put_some(bytes) : 0;
  self.unsent_.insert(self.unsent_.end(), bytes.begin() + sent, bytes.end());
  *put = size;
  return 1;
}

long TlsConnection::wire_control(BIO* wire, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(wire, BIO_FLAGS_IN_EOF) != 0;
  return command == BIO_CTRL_FLUSH;  // send_unsent() does it.
}

}  // namespace edgeprobe::transport
