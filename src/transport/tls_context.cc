// SPDX-License-Identifier: Apache-2.0
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/text.h"
#include "transport/tls.h"

namespace edgeprobe::transport {
namespace {

Error wrong_file(const std::filesystem::path& file, const std::string& why) {
  return {ErrorKind::kUsage, "'" + sanitized(file.string()) + "': " + why};
}

/// True if one of the thread's errors matches.
bool is_among(const std::vector<unsigned long>& errors, int library, int reason) {
  return std::any_of(errors.begin(), errors.end(), [&](unsigned long error) {
    return ERR_GET_LIB(error) == library && ERR_GET_REASON(error) == reason;
  });
}

/// OpenSSL's error for a file; `expected` is what it should contain.
Error unreadable(const std::filesystem::path& file, const char* expected) {
  std::vector<unsigned long> errors;
  while (const unsigned long error = ERR_get_error()) errors.push_back(error);
  if (!errors.empty() && ERR_SYSTEM_ERROR(errors.front()))
    return wrong_file(file, std::strerror(ERR_GET_REASON(errors.front())));
  if (is_among(errors, ERR_LIB_X509, X509_R_KEY_VALUES_MISMATCH))
    return wrong_file(file, "this key does not belong to the certificate");
  if (is_among(errors, ERR_LIB_PEM, PEM_R_BAD_PASSWORD_READ) ||
      is_among(errors, ERR_LIB_CRYPTO, ERR_R_INTERRUPTED_OR_CANCELLED) ||
      is_among(errors, ERR_LIB_PEM, PEM_R_PROBLEMS_GETTING_PASSWORD))
    return wrong_file(file,
                      "the key has a passphrase; store it without one, readable only by its user "
                      "('openssl pkey -in OLD -out NEW', 'chmod 600 NEW')");
  if (is_among(errors, ERR_LIB_PEM, PEM_R_NO_START_LINE) ||
      is_among(errors, ERR_LIB_X509, X509_R_NO_CERTIFICATE_OR_CRL_FOUND) ||
      is_among(errors, ERR_LIB_SSL, ERR_R_PEM_LIB))
    return wrong_file(file, std::string("it contains no ") + expected + " in PEM");
  const char* const words = errors.empty() ? nullptr : ERR_reason_error_string(errors.back());
  return wrong_file(
      file, std::string("no ") + expected + " can be read: " + (words ? words : "unknown reason"));
}

/// No passphrase prompt: a server has no terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

Result<TlsContext> context(const SSL_METHOD* method, const TlsFiles& files) {
  // The first call decides for the process: load no configuration file, which may name code to
  // load.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
  ERR_clear_error();
  TlsContext made(SSL_CTX_new(method), SSL_CTX_free);
  SSL_CTX* const tls = made.get();
  if (!tls) return Error{ErrorKind::kTarget, "TLS cannot begin: no memory"};
  SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
  // Forward secrecy and authenticated encryption; the fastest first on processors with AES
  // instructions.
  SSL_CTX_set_cipher_list(tls, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_ciphersuites(
      tls, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // No session reuse: every connection presents its certificate.
  SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(tls, 0);
  SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_read_ahead(tls, 1);  // Reads a whole record with one system call.
  SSL_CTX_set_default_passwd_cb(tls, no_passphrase);
  if (SSL_CTX_load_verify_file(tls, files.authority.c_str()) != 1)
    return unreadable(files.authority, "certificate of an authority");
  if (files.certificate.empty()) return made;
  if (SSL_CTX_use_certificate_chain_file(tls, files.certificate.c_str()) != 1)
    return unreadable(files.certificate, "certificate");
  const std::filesystem::path& key = files.key.empty() ? files.certificate : files.key;
  if (SSL_CTX_use_PrivateKey_file(tls, key.c_str(), SSL_FILETYPE_PEM) != 1)
    return unreadable(key, "private key");
  return made;
}

}  // namespace

Result<TlsContext> tls_server(const TlsFiles& files) {
  auto made = context(TLS_server_method(), files);
  if (!made) return made;
  SSL_CTX_set_verify(made->get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  // Clients with several certificates choose by this list.
  SSL_CTX_set_client_CA_list(made->get(), SSL_load_client_CA_file(files.authority.c_str()));
  return made;
}

Result<TlsContext> tls_client(const TlsFiles& files) {
  auto made = context(TLS_client_method(), files);
  if (!made) return made;
  SSL_CTX_set_verify(made->get(), SSL_VERIFY_PEER, nullptr);
  X509_VERIFY_PARAM_set_hostflags(
      SSL_CTX_get0_param(made->get()),
      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  return made;
}

}  // namespace edgeprobe::transport
