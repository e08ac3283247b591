// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/descriptor.h"
#include "core/result.h"
#include "transport/address.h"
#include "transport/connection.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX.

/// TLS 1.2 and 1.3 over a socket. A build without OpenSSL (EDGEPROBE_TLS=OFF) refuses each of these
/// with kUnsupported. The environment and OpenSSL's own configuration file are not looked at.
namespace edgeprobe::transport {

/// One side's files, in PEM.
struct TlsFiles {
  std::filesystem::path
      certificate;                  ///< Its own comes first, then those that lead to its authority.
  std::filesystem::path key;        ///< Without a passphrase; empty: in the certificate's file.
  std::filesystem::path authority;  ///< The other side's certificate must lead to one of these.

  bool operator==(const TlsFiles&) const = default;
};

/// Those files, read. Connections and threads may share it.
using TlsContext = std::shared_ptr<ssl_ctx_st>;

/// Of a server, which serves nobody without a certificate. All files are needed. kUsage names the
/// file and what is wrong with it.
Result<TlsContext> tls_server(const TlsFiles& files);
/// Of a client; without `certificate` it has none to show.
Result<TlsContext> tls_client(const TlsFiles& files);

/// The server's side of a handshake, at most until the wait's deadline. kTarget says why there is
/// no connection; the client was sent the alert. peer() names the subject of its certificate.
Result<std::unique_ptr<Connection>> accept_tls(Descriptor socket, const std::string& peer,
                                               const TlsContext& server, const Wait& wait);
/// The client's. The server's certificate must be for `host`, a name or an IP address. A server
/// that refuses the client's certificate may say so only when the connection is read.
Result<std::unique_ptr<Connection>> connect_tls(Descriptor socket, const std::string& peer,
                                                const std::string& host, const TlsContext& client,
                                                const Wait& wait);
/// dial(), then connect_tls().
Result<std::unique_ptr<Connection>> dial_tls(const Address& address, const TlsFiles& files,
                                             const Wait& wait);

/// Whether a client that was to speak without TLS begins with it: bytes that no message of ours
/// begins with. Needs kTlsTellingBytes.
inline constexpr std::size_t kTlsTellingBytes = 6;
inline constexpr std::byte kTlsHandshake{22}, kTlsMajorVersion{3};  ///< The first two.
bool is_client_hello(ByteView begin);
/// Whether these first bytes of an answer are a TLS alert.
bool is_tls_alert(ByteView begin);
/// The alert "unexpected message" before any handshake: to a client that speaks TLS where it should
/// not, or does not where it should.
ByteView tls_refusal();

}  // namespace edgeprobe::transport
