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

/// TLS 1.2 and 1.3 over a socket. In a build without OpenSSL (EDGEPROBE_TLS=OFF), all of these
/// return kUnsupported. The environment and OpenSSL's configuration file are ignored.
namespace edgeprobe::transport {

/// One side's files, in PEM.
struct TlsFiles {
  std::filesystem::path
      /// Its own certificate first, then those that lead to its authority.
      certificate;
  /// Without a passphrase; empty: it is in the certificate's file.
  std::filesystem::path key;
  std::filesystem::path authority;  ///< The other side's certificate must lead to one of these.

  bool operator==(const TlsFiles&) const = default;
};

/// The loaded files. Connections and threads may share it.
using TlsContext = std::shared_ptr<ssl_ctx_st>;

/// For a server, which rejects clients without a certificate. All files are required. kUsage names
/// the file and its problem.
Result<TlsContext> tls_server(const TlsFiles& files);
/// For a client; without `certificate` it presents none.
Result<TlsContext> tls_client(const TlsFiles& files);

/// Performs the server's side of a handshake, within the wait's deadline. kTarget states why it
/// failed; the client was sent the alert. peer() includes the subject of its certificate.
Result<std::unique_ptr<Connection>> accept_tls(Descriptor socket, const std::string& peer,
                                               const TlsContext& server, const Wait& wait);
/// Performs the client's side. The server's certificate must be for `host`, a name or an IP
/// address. If the server refuses the client's certificate, this may become visible only on
/// reading.
Result<std::unique_ptr<Connection>> connect_tls(Descriptor socket, const std::string& peer,
                                                const std::string& host, const TlsContext& client,
                                                const Wait& wait);
/// dial(), then connect_tls().
Result<std::unique_ptr<Connection>> dial_tls(const Address& address, const TlsFiles& files,
                                             const Wait& wait);

/// True if a client that should not use TLS starts a handshake: no message of ours begins with
/// these bytes. Needs kTlsTellingBytes.
inline constexpr std::size_t kTlsTellingBytes = 6;
/// Values of the first two bytes.
inline constexpr std::byte kTlsHandshake{22}, kTlsMajorVersion{3};
bool is_client_hello(ByteView begin);
/// True if these first bytes of an answer are a TLS alert.
bool is_tls_alert(ByteView begin);
/// The alert "unexpected message" before any handshake: for a client that uses TLS where it should
/// not, or lacks it where it should.
ByteView tls_refusal();

}  // namespace edgeprobe::transport
