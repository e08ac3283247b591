// SPDX-License-Identifier: Apache-2.0
// Detects TLS in the first bytes without a TLS library (RFC 8446, 5.1 and 6): u8 record type, u16
// version, u16 length, big-endian.
#include <array>

#include "transport/tls.h"

namespace edgeprobe::transport {
namespace {

constexpr std::byte kAlert{21}, kClientHello{1};

}  // namespace

bool is_client_hello(ByteView begin) {
  // The fifth and sixth byte hold the type of a g1 or g2 message, which is below 256.
  return begin.size >= kTlsTellingBytes && begin.data[0] == kTlsHandshake &&
         begin.data[1] == kTlsMajorVersion && begin.data[5] == kClientHello;
}

bool is_tls_alert(ByteView begin) {
  return begin.size >= 2 && begin.data[0] == kAlert && begin.data[1] == kTlsMajorVersion;
}

ByteView tls_refusal() {
  static constexpr std::byte kFatal{2}, kUnexpectedMessage{10};
  static constexpr std::array kRecord{
      kAlert,       kTlsMajorVersion, std::byte{1},      std::byte{0},
      std::byte{2}, kFatal,           kUnexpectedMessage};
  return {kRecord.data(), kRecord.size()};
}

}  // namespace edgeprobe::transport
