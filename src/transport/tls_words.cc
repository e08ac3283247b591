// SPDX-License-Identifier: Apache-2.0
#include "transport/tls_connection.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/tls1.h>
#include <openssl/x509_vfy.h>

#include "core/text.h"

namespace edgeprobe::transport {
namespace {

/// Describes the problem with the other side's certificate.
std::string certificate_problem(long result, bool is_server) {
  const std::string whose = is_server ? "the client's" : "the server's";
  switch (result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return whose + " certificate has expired, or the clock of this machine is wrong";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return whose + " certificate is not valid yet, or the clock of this machine is wrong";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return whose + " certificate is for another host: its subjectAltName does not hold the " +
             "name or address that was dialled";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return whose + " certificate is signed by another authority than those of " +
             (is_server ? "--tls-client-ca" : "'ca'");
    case X509_V_ERR_INVALID_PURPOSE:
      return whose + " certificate is not made for a " + (is_server ? "client" : "server") +
             " (extendedKeyUsage)";
    default: return whose + " certificate: " + X509_verify_cert_error_string(result);
  }
}

/// Describes our fault according to the other side's alert.
std::string refusal(int alert, bool is_server) {
  const std::string who = is_server ? "the client" : "the server";
  const std::string ours = is_server ? "this server's certificate" : "this host's certificate";
  switch (alert) {
    case TLS13_AD_CERTIFICATE_REQUIRED:
      return who + " wants a client's certificate: name it as 'cert' in the target";
    case SSL3_AD_CERTIFICATE_EXPIRED: return who + " refuses " + ours + ": it has expired";
    case TLS1_AD_UNKNOWN_CA:
      return who + " refuses " + ours + ": it is signed by another authority";
    case SSL3_AD_BAD_CERTIFICATE:
    case SSL3_AD_UNSUPPORTED_CERTIFICATE:
    case SSL3_AD_CERTIFICATE_REVOKED:
    case SSL3_AD_CERTIFICATE_UNKNOWN:
    case TLS1_AD_DECRYPT_ERROR: break;
    case SSL3_AD_UNEXPECTED_MESSAGE:
      return is_server ? "the client expects no TLS"
                       : "the server expects no TLS; without it the target is tcp://HOST:PORT";
    case SSL3_AD_HANDSHAKE_FAILURE:
      return who + " finds no common ground: no common cipher, or no certificate that it takes";
    case TLS1_AD_PROTOCOL_VERSION: return who + " speaks no TLS 1.2 or newer";
    default: return who + " ended TLS: " + SSL_alert_desc_string_long(alert);
  }
  return who + " refuses " + ours + ": " + SSL_alert_desc_string_long(alert);
}

int reason_of(unsigned long error) {
  return ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
}

}  // namespace

bool speaks_no_tls() {
  switch (reason_of(ERR_peek_error())) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_RECORD_TOO_SMALL:
    case SSL_R_BAD_RECORD_TYPE: return true;
    default: return false;
  }
}

std::string tls_problem(const SSL* tls) {
  const bool is_server = SSL_is_server(tls) != 0;
  const unsigned long error = ERR_peek_error();
  const int reason = reason_of(error);
  if (error == 0 || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING)
    return SSL_is_init_finished(tls) ? ""
           : is_server               ? "the client closed during the TLS handshake"
                                     : "the server closed during the TLS handshake";
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED)
    return certificate_problem(SSL_get_verify_result(tls), is_server);
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) return "the client has no certificate";
  if (reason == SSL_R_UNSUPPORTED_PROTOCOL || reason == SSL_R_VERSION_TOO_LOW)
    return is_server ? "the client speaks no TLS 1.2 or newer"
                     : "the server speaks no TLS 1.2 or newer";
  if (reason == SSL_R_NO_SHARED_CIPHER)
    return "the client has no cipher in common with this server";
  if (reason >= SSL_AD_REASON_OFFSET) return refusal(reason - SSL_AD_REASON_OFFSET, is_server);
  if (!SSL_is_init_finished(tls) && speaks_no_tls())
    return is_server ? "the client speaks no TLS"
                     : "the server speaks no TLS; without it the target is tcp://HOST:PORT";
  const char* const words = ERR_reason_error_string(error);
  return "TLS: " + (words ? sanitized(words) : "error " + std::to_string(error));
}

}  // namespace edgeprobe::transport
