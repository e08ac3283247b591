// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "protocol/message.h"
#include "protocol/parts.h"

namespace edgeprobe::protocol {

/// A request from a host.
Outgoing request(Type type, ByteView payload = {});
/// PING: a client on a serial line begins with kSuccess and ends with kFail.
Outgoing ping(std::uint16_t flags);

/// A reply, and the byte that may be its payload; messages from this object must not outlive it.
class Reply {
 public:
  /// `data`: the answer to OUTPUT, STATS and OPTIMIZE_MODEL; others have none.
  static Reply success(Type request, Generation generation, ByteView data = {});
  static Reply failure(const Header& request, Generation generation);
  /// With the flags of an EXTENSION's reply.
  static Reply extension(ByteView payload, bool failed);

  Outgoing message() const {
    Outgoing out = message_;
    if (has_action_) out.payload = {&action_, 1};
    return out;
  }

 private:
  Outgoing message_;
  std::byte action_{0};
  bool has_action_ = false;
};

/// A message interpreted as the answer to a request.
struct Answer {
  bool ok = false;
  ByteView data;  ///< Borrowed from the message, without the action byte.
  /// False: it reports success, but with the action of another request.
  bool is_of_request = true;
};

/// Empty for a message that does not answer a request of this type: LOGS, an unknown type, an
/// answer to another request. In g1 and g2 any OK or ERROR qualifies.
std::optional<Answer> read_answer(const Message& message, Type request, Generation generation);

}  // namespace edgeprobe::protocol
