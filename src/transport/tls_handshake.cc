// SPDX-License-Identifier: Apache-2.0
#include "transport/tls.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "core/text.h"
#include "transport/dial.h"
#include "transport/tls_connection.h"

namespace edgeprobe::transport {
namespace {

/// A refused client may not have read the reason yet.
constexpr std::chrono::milliseconds kLinger{500};

/// Waits until the peer has closed: closing first would discard our unread data.
void linger(int socket) {
  ::shutdown(socket, SHUT_WR);
  const Wait wait{process::deadline_after(kLinger)};
  std::array<std::byte, 4096> thrown_away{};
  while (process::Clock::now() < wait.deadline &&
         process::wait_for(socket, POLLIN, wait) == Transfer::kDone) {
    const ssize_t got = ::recv(socket, thrown_away.data(), thrown_away.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

std::string handshake_problem(Transfer transfer, const TlsConnection& connection) {
  switch (transfer) {
    case Transfer::kLate: return "the TLS handshake did not come to its end in time";
    case Transfer::kStopped: return "stopped during the TLS handshake";
    default: {
      std::string problem = connection.problem();
      return problem.empty() ? "the connection was cut during the TLS handshake" : problem;
    }
  }
}

/// "CN" of the certificate that the other side presented, or "".
std::string common_name(SSL* ssl) {
  const X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (!certificate) return "";
  std::array<char, 128> name{};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                             name.data(), static_cast<int>(name.size()));
  return size > 0 ? std::string(name.data(), static_cast<std::size_t>(size)) : "";
}

Error no_memory() { return {ErrorKind::kTarget, "TLS cannot begin: no memory"}; }

}  // namespace

Result<std::unique_ptr<Connection>> accept_tls(Descriptor socket, const std::string& peer,
                                               const TlsContext& server, const Wait& wait) {
  auto connection = std::make_unique<TlsConnection>(std::move(socket), peer, server);
  if (!connection->ssl()) return no_memory();
  SSL_set_accept_state(connection->ssl());
  if (const Transfer done = connection->handshake(wait); done != Transfer::kDone) {
    if (done == Transfer::kClosed) linger(connection->socket());
    return Error{ErrorKind::kTarget, handshake_problem(done, *connection)};
  }
  if (const std::string name = common_name(connection->ssl()); !name.empty())
    connection->set_peer(peer + " (" + sanitized(name) + ")");
  return std::unique_ptr<Connection>(std::move(connection));
}

Result<std::unique_ptr<Connection>> connect_tls(Descriptor socket, const std::string& peer,
                                                const std::string& host, const TlsContext& client,
                                                const Wait& wait) {
  auto connection = std::make_unique<TlsConnection>(std::move(socket), peer, client);
  SSL* const ssl = connection->ssl();
  if (!ssl || SSL_set1_host(ssl, host.c_str()) != 1) return no_memory();
  // SNI must not be an IP address (RFC 6066, 3); OpenSSL has determined which it is.
  if (X509_VERIFY_PARAM_get0_host(SSL_get0_param(ssl), 0))
    SSL_set_tlsext_host_name(ssl, host.c_str());
  SSL_set_connect_state(ssl);
  if (const Transfer done = connection->handshake(wait); done != Transfer::kDone)
    return Error{ErrorKind::kTarget,
                 "cannot reach " + sanitized(peer) + ": " + handshake_problem(done, *connection)};
  return std::unique_ptr<Connection>(std::move(connection));
}

Result<std::unique_ptr<Connection>> dial_tls(const Address& address, const TlsFiles& files,
                                             const Wait& wait) {
  EP_TRY(auto client, tls_client(files));
  EP_TRY(auto socket, dial_socket(address, wait));
  return connect_tls(std::move(socket), to_string(address), address.host, client, wait);
}

}  // namespace edgeprobe::transport
