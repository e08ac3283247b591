// SPDX-License-Identifier: Apache-2.0
// For builds without OpenSSL: EDGEPROBE_TLS=OFF.
#include "transport/tls.h"

namespace edgeprobe::transport {
namespace {

Error no_tls() {
  return {ErrorKind::kUnsupported,
          "this build has no TLS (EDGEPROBE_TLS is off); 'ssh -L 12345:127.0.0.1:12345 DEVICE' "
          "encrypts the way to a server on the loopback address"};
}

}  // namespace

Result<TlsContext> tls_server(const TlsFiles&) { return no_tls(); }
Result<TlsContext> tls_client(const TlsFiles&) { return no_tls(); }
Result<std::unique_ptr<Connection>> accept_tls(Descriptor, const std::string&, const TlsContext&,
                                               const Wait&) {
  return no_tls();
}
Result<std::unique_ptr<Connection>> connect_tls(Descriptor, const std::string&, const std::string&,
                                                const TlsContext&, const Wait&) {
  return no_tls();
}
Result<std::unique_ptr<Connection>> dial_tls(const Address&, const TlsFiles&, const Wait&) {
  return no_tls();
}

}  // namespace edgeprobe::transport
