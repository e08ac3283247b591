// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/ssl.h>

#include <string>

namespace edgeprobe::transport {

/// Why the thread's last call on this object failed, in a sentence about the other side. "" when
/// that side just closed.
std::string tls_problem(const SSL* tls);
/// Whether it failed because the other side does not speak TLS: OpenSSL sends it no alert.
bool speaks_no_tls();

}  // namespace edgeprobe::transport
