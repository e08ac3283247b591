// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>
#include <mutex>
#include <string>
#include <utility>

#include "transport/gather.h"
#include "transport/tls.h"

namespace edgeprobe::transport {

/// A socket with an SSL object, which only one thread may use at a time: a lock is held while bytes
/// are encrypted and sent or decrypted, never while a thread waits for the socket.
class TlsConnection final : public Connection {
 public:
  TlsConnection(Descriptor socket, std::string peer, const TlsContext& context);
  ~TlsConnection() override;

  /// Null if out of memory.
  SSL* ssl() const { return ssl_.get(); }
  int socket() const { return socket_.get(); }
  void set_peer(std::string peer) { peer_ = std::move(peer); }
  /// Call before any Connection function, from one thread; the role is already set.
  Transfer handshake(const Wait& wait);

  Transfer read(std::byte* to, std::size_t size, std::size_t& got, const Wait& wait) override;
  Transfer wait_readable(const Wait& wait) override;
  Transfer write(std::span<const ByteView> parts, const Wait& wait) override;
  void shut() override { end(); }
  int other_end() const override { return socket(); }
  const std::string& peer() const override { return peer_; }
  std::string problem() const override;

 private:
  static constexpr std::size_t kRecord = SSL3_RT_MAX_PLAIN_LENGTH;
  /// What an OpenSSL operation needs before a retry.
  enum class Need { kNothing, kBytes, kRoom, kEnd };

  /// Call after the operation with this result; under the lock, except during the handshake.
  Need need_after(int result);
  /// Sends part of `rest`, so that the other thread gets a turn.
  Need encrypt_and_send(Gather<kRecord>& rest);
  /// Returns the bytes that the socket accepted; 0 if it has no room or is gone.
  std::size_t put_some(ByteView bytes);
  /// Sends as much of the unsent bytes as the socket accepts; false if it is gone.
  bool send_unsent();
  /// `usual`: the event that this direction usually waits for.
  Transfer wait_for(Need need, short usual, const Wait& wait) const;
  /// Sends the close notification if that does not block, and closes both directions.
  void end();

  // OpenSSL's interface to the socket. A record that does not fit waits in `unsent_`.
  static const BIO_METHOD* wire_method();
  static int wire_read(BIO* wire, char* to, std::size_t size, std::size_t* got);
  static int wire_write(BIO* wire, const char* from, std::size_t size, std::size_t* put);
  static long wire_control(BIO* wire, int command, long number, void* pointer);

  Descriptor socket_;
  std::string peer_;
  TlsContext context_;
  mutable std::mutex using_;
  Bytes unsent_;
  bool more_follows_ = false;  ///< The system may hold this record back and send it with the next.
  bool is_gone_ = false;       ///< The socket accepts no more data.
  std::string problem_;
  bool ended_ = false;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

/// Why the thread's last call on this object failed, in a sentence about the other side. "" if that
/// side just closed.
std::string tls_problem(const SSL* tls);
/// True if it failed because the other side does not use TLS: OpenSSL sends it no alert.
bool speaks_no_tls();

}  // namespace edgeprobe::transport
